import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findOnPath, startGuardian } from "@touchstone/embedded-servers";
import { containerEngineAnswers } from "./container-engine.ts";
import { findFreePort } from "./free-port.ts";

/** The URL of Redis, or the reason why there is none. */
export type TestRedis = { url: string } | { url: null; reason: string };

export interface StartedRedis {
  found: TestRedis;
  stop: () => Promise<void>;
}

/** Redis from the PATH, else from the official image, else the reason why tests that need it are skipped. */
export async function startTestRedis({
  usesContainers,
  searchPath,
}: {
  usesContainers: boolean;
  searchPath: string;
}): Promise<StartedRedis> {
  const started = usesContainers ? null : await startRedisProcess(searchPath);
  if (started !== null) return { found: { url: started.url }, stop: started.stop };
  if (usesContainers || (await containerEngineAnswers())) return startContainer();
  return {
    found: { url: null, reason: "There is no redis-server on the PATH, and no container engine to run one." },
    stop: async () => {},
  };
}

/** A redis-server as our child process. */
export interface RedisProcess {
  url: string;
  port: number;
  send(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** How a redis-server of our own differs from an ordinary one. */
export interface RedisOptions {
  /** Further lines of its configuration. */
  lines?: readonly string[];
  /** Its only port is one with TLS, for clients with a certificate of this authority. */
  tls?: { caFile: string; certFile: string; keyFile: string };
  isSentinel?: boolean;
}

/** Starts the redis-server of a search path, without persistence; null where there is none. */
export async function startRedisProcess(searchPath: string, options: RedisOptions = {}): Promise<RedisProcess | null> {
  const executable = await findOnPath("redis-server", searchPath);
  if (executable === null) return null;
  const port = await findFreePort();
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-redis-"));
  const file = path.join(folder, "redis.conf");
  await writeFile(file, configure({ port, folder, ...options }));
  const guardian = startGuardian();
  const child = spawn(executable, [file, ...(options.isSentinel === true ? ["--sentinel"] : [])], {
    stdio: "ignore",
    detached: true,
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const stop = async () => {
    // A stopped process handles no other signal.
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await exited;
    guardian.dismiss();
    await rm(folder, { recursive: true, force: true });
  };
  if (child.pid !== undefined) {
    await guardian.watch([{ pid: child.pid, politeSignal: "TERM", forcefulSignal: "KILL" }]);
  }
  for (const deadline = performance.now() + 10_000; !(await accepts(port)); await sleep(10)) {
    if (child.exitCode !== null || child.pid === undefined || performance.now() > deadline) {
      await stop();
      throw new Error(`${executable} did not start.`);
    }
  }
  const protocol = options.tls === undefined ? "redis" : "rediss";
  return { url: `${protocol}://127.0.0.1:${port}`, port, send: (signal) => child.kill(signal), stop };
}

function configure({
  port,
  folder,
  lines = [],
  tls,
  isSentinel,
}: RedisOptions & { port: number; folder: string }): string {
  const ports =
    tls === undefined
      ? [`port ${port}`]
      : [
          ...["port 0", `tls-port ${port}`, "tls-replication yes", "tls-auth-clients yes"],
          ...[`tls-ca-cert-file ${tls.caFile}`, `tls-cert-file ${tls.certFile}`, `tls-key-file ${tls.keyFile}`],
        ];
  const persistence = isSentinel === true ? [] : ['save ""', "appendonly no"];
  return [...ports, "bind 127.0.0.1", `dir ${folder}`, ...persistence, ...lines, ""].join("\n");
}

async function startContainer(): Promise<StartedRedis> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer("redis:8")
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage("Ready to accept connections"))
    .start();
  return {
    found: { url: `redis://${container.getHost()}:${container.getMappedPort(6379)}` },
    stop: async () => {
      await container.stop();
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
