import { spawn } from "node:child_process";
import { programFile } from "@touchstone/testkit/program-file";

/** A service as a separate process. */
export interface ServiceProcess {
  /** All it printed so far, on both streams. */
  output(): string;
  /** Kills it and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
}

/** Starts a service with exactly these settings. */
export function startServiceProcess(name: "gateway" | "auth", settings: Record<string, string>): ServiceProcess {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...settings };
  const child = spawn(process.execPath, [programFile(name)], { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return {
    output: () => output,
    exited,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
