import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { programFile } from "@touchstone/testkit/program-file";
import { nodeEnvironment } from "../../tests/integration/src/service-process.ts";
import { readCpuMs, readMemoryMb } from "./process-figures.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const startDeadlineMs = 60_000;

/** A standalone as `npm start` starts it, on a free port. */
export interface Standalone {
  address: string;
  apiKey: string;
  /** From the spawn to the printed address. */
  startMs: number;
  /** Resident memory of the Node process, in MB, without PostgreSQL and nats-server. */
  memoryMb(): Promise<number>;
  /** CPU time of the Node process so far. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
  /** kill -9, in the middle of writes. */
  kill(): Promise<void>;
}

/** Starts a standalone on a folder and waits for the lines it prints when it serves. */
export async function startStandalone(options: {
  home: string;
  settings?: Record<string, string>;
}): Promise<Standalone> {
  const startedMs = performance.now();
  const child = spawn("node", [programFile("standalone")], {
    cwd: repository,
    env: {
      ...nodeEnvironment,
      PORT: "0",
      SERVICE_HOME: options.home,
      SERVICE_RATE_LIMIT: "off",
      ...options.settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const printed = await readUntilReady(child, exited);
  return {
    address: printed.address,
    apiKey: printed.apiKey,
    startMs: performance.now() - startedMs,
    memoryMb: () => readMemoryMb(child.pid as number),
    cpuMs: () => readCpuMs(child.pid as number),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function readUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
): Promise<{ address: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`Not ready after ${startDeadlineMs} ms:\n${output}`));
    }, startDeadlineMs);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`The standalone ended with code ${code}:\n${output}`));
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      const address = /(?:Open|ready at) (http\S+)/.exec(output)?.[1];
      const apiKey = /Default project API key: (\S+)/.exec(output)?.[1];
      if (address === undefined || apiKey === undefined || !output.includes("Started in")) return;
      clearTimeout(timer);
      resolve({ address, apiKey });
    });
  });
}
