import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programFile, programSource } from "@touchstone/testkit/program-file";

const workTree = path.resolve(import.meta.dirname, "../../..");
/** What the commands of package.json set for Node, and nothing else of this process's environment. */
export const nodeEnvironment = {
  PATH: process.env.PATH,
  // Half of a start's CPU time is compiling TypeScript: the processes share the compiled code.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(workTree, ".cache", "node"),
  // Without them freed buffers stay with the process, and its memory says nothing about what users have.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("MALLOC_"))),
  ...(process.env.NODE_OPTIONS !== undefined && { NODE_OPTIONS: process.env.NODE_OPTIONS }),
};
// A process starts slowly on a machine that runs several of these tests at once.
const startDeadlineMs = 120_000;

/** One service as a separate process, as in a container. */
export interface ServiceProcess {
  name: string;
  address: string;
  pid: number;
  /** Its log so far. */
  log(): string;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Asks it to stop, waits, and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a service on the given port and waits until it answers. */
export async function startServiceProcess(options: {
  name: string;
  port: number;
  environment: Record<string, string>;
  /** The repository whose code it runs. Default: this one. */
  repository?: string;
  /** The command that starts node, such as a shell that sets a limit and becomes node. */
  wrapper?: readonly string[];
  /** Options before the script: a loader, which needs the sources. */
  nodeArguments?: readonly string[];
  /** The file for its standard output. Default: `log()` returns it. */
  output?: string;
}): Promise<ServiceProcess> {
  const { name, port, repository = workTree, wrapper = [], nodeArguments = [] } = options;
  const isAsItIs = repository === workTree && nodeArguments.length === 0;
  const script = isAsItIs ? programFile(name) : programSource(name, repository);
  const [command = "node", ...args] = [...wrapper, "node", ...nodeArguments, script];
  const output = options.output === undefined ? null : openSync(options.output, "a");
  const child = spawn(command, args, {
    cwd: repository,
    env: { ...nodeEnvironment, ...options.environment, PORT: String(port) },
    stdio: ["ignore", output ?? "pipe", "pipe"],
  });
  if (output !== null) closeSync(output);
  let log = "";
  const keep = (chunk: Buffer): void => {
    // Only the end matters when a test fails; an endless log would fill the test's memory.
    log = (log + chunk.toString("utf8")).slice(-200_000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const address = `http://127.0.0.1:${port}`;
  try {
    await waitUntilLive(child, address, () => log);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return {
    name,
    address,
    pid: child.pid as number,
    log: () => log,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

async function waitUntilLive(child: ChildProcess, address: string, log: () => string): Promise<void> {
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The process ended with code ${child.exitCode}:\n${log()}`);
    const isLive = await fetch(`${address}/health/live`).then(
      (response) => response.ok,
      () => false,
    );
    if (isLive) return;
    await sleep(50);
  }
  throw new Error(`${address} did not answer within ${startDeadlineMs} ms:\n${log()}`);
}
