import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { programFile, programSource } from "@touchstone/testkit/program-file";
import { nodeEnvironment } from "../../tests/integration/src/service-process.ts";
import { readCpuMs, readMemoryMb } from "./process-figures.ts";

const repository = path.resolve(import.meta.dirname, "../..");
const startDeadlineMs = 60_000;
/** Includes the installation of packages. */
const firstStartDeadlineMs = 600_000;

/** A standalone as `npm start` starts it, on a free port. */
export interface Standalone {
  address: string;
  apiKey: string;
  /** The first of its processes. */
  pid: number;
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
  /** A copy of the repository, whose `npm start` is run. Default: the bundled program of this one. */
  repository?: string;
  /** Where Node writes its CPU profiles when it stops. Then the sources are run, so that the profiles name them. */
  profilesTo?: string;
}): Promise<Standalone> {
  const startedMs = performance.now();
  const command = commandOf(options);
  const child = spawn("node", command, {
    cwd: options.repository ?? repository,
    env: {
      ...(options.repository === undefined ? nodeEnvironment : environmentOfUser()),
      PORT: "0",
      SERVICE_HOME: options.home,
      SERVICE_RATE_LIMIT: "off",
      ...options.settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const deadlineMs = options.repository === undefined ? startDeadlineMs : firstStartDeadlineMs;
  const printed = await readUntilReady(child, exited, deadlineMs);
  return {
    pid: child.pid as number,
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

function commandOf({ repository: copy, profilesTo }: { repository?: string; profilesTo?: string }): string[] {
  if (copy !== undefined) return ["tools/run.mjs", "start"];
  if (profilesTo === undefined) return [programFile("standalone")];
  return ["--cpu-prof", "--cpu-prof-dir", profilesTo, programSource("standalone")];
}

/** What `npm start` of a copy inherits: its installation may need a proxy or certificates, but no setting of this process. */
function environmentOfUser(): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean => /^(SERVICE_|TOUCHSTONE_|NODE_COMPILE_CACHE$|INIT_CWD$)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}

function readUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  deadlineMs: number,
): Promise<{ address: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`Not ready after ${deadlineMs} ms:\n${output}`));
    }, deadlineMs);
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
