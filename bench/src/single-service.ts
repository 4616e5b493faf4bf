import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programFile } from "@touchstone/testkit/program-file";
import { nodeEnvironment } from "../../tests/integration/src/service-process.ts";
import { type IdentityHeaders, identityHeaders } from "./identity-headers.ts";
import { readCpuMs, readMemoryMb } from "./process-figures.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const startDeadlineMs = 30_000;

/** One service in a separate process, as in a container. */
export interface SingleService {
  address: string;
  /** Identity headers for a project that exists nowhere else. */
  headersFor: IdentityHeaders;
  memoryMb(): Promise<number>;
  /** CPU time of its process so far. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSingleService(options: {
  name: "ingest" | "eval-runs" | "judge";
  port: number;
  databaseUrl: string;
  natsUrl: string;
  settings?: Readonly<Record<string, string>>;
}): Promise<SingleService> {
  const rootSecret = randomBytes(32).toString("base64url");
  const child = spawn("node", [programFile(options.name)], {
    cwd: repository,
    env: {
      ...nodeEnvironment,
      PORT: String(options.port),
      SERVICE_LOG_LEVEL: "warn",
      SERVICE_DB_URL: options.databaseUrl,
      SERVICE_NATS_URL: options.natsUrl,
      SERVICE_INTERNAL_SECRET: rootSecret,
      ...options.settings,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const address = `http://127.0.0.1:${options.port}`;
  await waitUntilReady(child, address);
  return {
    address,
    headersFor: identityHeaders({ audience: options.name, rootSecret, projectId: randomUUID() }),
    memoryMb: () => readMemoryMb(child.pid as number),
    cpuMs: () => readCpuMs(child.pid as number),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function waitUntilReady(child: ChildProcess, address: string): Promise<void> {
  const deadline = performance.now() + startDeadlineMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The service ended with code ${child.exitCode}.`);
    const isReady = await fetch(`${address}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
  child.kill("SIGKILL");
  throw new Error(`The service was not ready within ${startDeadlineMs} ms.`);
}
