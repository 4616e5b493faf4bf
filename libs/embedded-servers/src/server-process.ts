import { spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedServerError } from "./embedded-server-error.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";
import type { ServerAccount } from "./server-account.ts";

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A server that runs as our child. */
export interface ServerProcess {
  pid: number;
  /** Settles once, when the process has ended; never rejects. */
  exited: Promise<ProcessExit>;
  /** Does nothing when the process is gone. */
  signal(name: NodeJS.Signals): void;
}

/** Optional reactions of the caller of a start. */
export interface LaunchControl {
  /** Called as soon as there is a process, long before it is ready. */
  onSpawn?: ((pid: number) => Promise<void>) | undefined;
  /** Ends the wait: the process is returned whether it is ready or not. */
  abort?: AbortSignal | undefined;
}

export interface LaunchOptions extends LaunchControl {
  executable: string;
  arguments: readonly string[];
  /** Beyond `serverEnvironment`. */
  environment?: Readonly<Record<string, string>>;
  account: ServerAccount | null;
  /** Both outputs are appended here: a file outlives us, but closing a pipe would kill its writer. */
  logFile: string;
  /** Polled every few milliseconds until true. */
  isReady: (pid: number) => Promise<boolean>;
  readyTimeoutMs: number;
  /** Creates an error from the server's output since this start, and from its end (null: it is still not ready). */
  explain: (output: string, exit: ProcessExit | null) => EmbeddedServerError;
}

/** The environment of a server: a locale, a path and none of our variables. */
export const serverEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Starts a server and waits until it is ready. It gets a separate session, so that a Ctrl-C in the terminal reaches
 * only us and the servers are stopped in order, and an environment without our secrets.
 */
export async function launchServer(options: LaunchOptions): Promise<ServerProcess> {
  const log = await open(options.logFile, "a+", 0o600);
  try {
    const { size: logStart } = await log.stat();
    const server = await spawnServer(options, log.fd);
    let exit: ProcessExit | null = null;
    void server.exited.then((end) => {
      exit = end;
    });
    await options.onSpawn?.(server.pid);
    const deadline = performance.now() + options.readyTimeoutMs;
    while (!(await options.isReady(server.pid)) && options.abort?.aborted !== true) {
      if (exit !== null || performance.now() > deadline) {
        const error = options.explain(await readFrom(log, logStart), exit);
        server.signal("SIGKILL");
        await server.exited;
        throw error;
      }
      await sleep(5);
    }
    return server;
  } finally {
    await log.close();
  }
}

/**
 * Asks a server to stop, with increasing force: each signal has a grace period, and the last one, SIGKILL, cannot be
 * ignored.
 */
export async function stopServer(
  server: ServerProcess,
  steps: readonly { signal: NodeJS.Signals; waitMs: number }[],
): Promise<void> {
  for (const { signal, waitMs } of steps) {
    server.signal(signal);
    const timer = new AbortController();
    const isGone = await Promise.race([
      server.exited.then(() => true),
      sleep(waitMs, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    if (isGone) return;
  }
  server.signal("SIGKILL");
  await server.exited;
}

async function spawnServer(options: LaunchOptions, logDescriptor: number): Promise<ServerProcess> {
  const { executable, account } = options;
  const child = spawn(executable, options.arguments, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: "/",
    env: { ...serverEnvironment, ...options.environment },
    detached: true,
    stdio: ["ignore", logDescriptor, logDescriptor],
  });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(explainSpawnFailure(error, { executable, account })));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${executable} runs without a process id`);
  return {
    pid,
    exited,
    signal(name) {
      if (child.exitCode === null && child.signalCode === null) child.kill(name);
    },
  };
}

/** At most the last 64 KiB of what was written since `start`. */
async function readFrom(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  const from = Math.max(start, size - 65_536);
  const buffer = Buffer.alloc(Math.max(0, size - from));
  await log.read(buffer, 0, buffer.length, from);
  return buffer.toString("utf8");
}
