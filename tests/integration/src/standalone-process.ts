import { type ChildProcess, execFile, spawn } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { programFile, programSource } from "@touchstone/testkit/program-file";
import { nodeEnvironment } from "./service-process.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** A standalone as `npm start` runs it, in a separate process group. */
export interface StandaloneProcess {
  url: string;
  /** The key of the default project; empty if there is none. */
  apiKey: string;
  pid: number;
  output(): string;
  /** kill -9 of the Node process; its PostgreSQL and nats-server keep running. */
  kill(): Promise<void>;
  /** Asks it to stop like Ctrl-C; returns the exit code. */
  interrupt(): Promise<number | null>;
}

/** How a standalone ended that failed to start. */
export class StandaloneFailure extends Error {
  readonly code: number | null;
  readonly output: string;
  constructor(code: number | null, output: string) {
    super(`The standalone ended with code ${code}:\n${output}`);
    this.code = code;
    this.output = output;
  }
}

/** Whether another user can read this copy of the repository and run its Node; only root can test this. */
export async function canUserRun(uid: number): Promise<boolean> {
  const [node, main] = [process.execPath, programFile("standalone")];
  const asked = promisify(execFile)("/bin/sh", ["-c", 'test -x "$0" && test -r "$1"', node, main], {
    uid,
    gid: uid,
    cwd: "/",
  });
  return asked.then(
    () => true,
    () => false,
  );
}

export interface StandaloneOptions {
  home: string;
  settings?: Record<string, string>;
  args?: readonly string[];
  /** Options of node before the script: a loader, which needs the sources. */
  nodeArguments?: readonly string[];
  /** Runs it as this user, when the test is root. */
  uid?: number;
  deadlineMs?: number;
}

/** Starts a standalone and waits for its lines. Rejects with a {@link StandaloneFailure} when it ends instead. */
export async function startStandaloneProcess(options: StandaloneOptions): Promise<StandaloneProcess> {
  const script = options.nodeArguments === undefined ? programFile("standalone") : programSource("standalone");
  const child = spawn("node", [...(options.nodeArguments ?? []), script, ...(options.args ?? [])], {
    cwd: repository,
    env: {
      ...nodeEnvironment,
      PORT: "0",
      SERVICE_HOME: options.home,
      SERVICE_RATE_LIMIT: "off",
      ...options.settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  });
  let output = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const { url, apiKey } = await readStartLines(
    child,
    () => output,
    (text) => {
      output += text;
    },
    options.deadlineMs ?? 120_000,
  );
  return {
    url,
    apiKey,
    pid: child.pid as number,
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async interrupt() {
      child.kill("SIGINT");
      return exited;
    },
  };
}

function readStartLines(
  child: ChildProcess,
  output: () => string,
  keep: (text: string) => void,
  deadlineMs: number,
): Promise<{ url: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // It stops its servers itself within ten seconds, so nothing is left when the test cleans up.
      child.kill("SIGINT");
    }, deadlineMs);
    child.once("close", (code) => {
      clearTimeout(timer);
      reject(
        isLate ? new Error(`Not ready after ${deadlineMs} ms:\n${output()}`) : new StandaloneFailure(code, output()),
      );
    });
    let isStarted = false;
    const read = (chunk: Buffer): void => {
      keep(chunk.toString("utf8"));
      if (isStarted) return;
      const url = /(?:Open|ready at) (http\S+)/.exec(output())?.[1];
      if (isLate || url === undefined || !output().includes("Started in")) return;
      const apiKey = /Default project API key: (\S+)/.exec(output())?.[1] ?? "";
      isStarted = true;
      clearTimeout(timer);
      resolve({ url, apiKey });
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
}
