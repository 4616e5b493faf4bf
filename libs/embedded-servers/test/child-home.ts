import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export interface Ready {
  postgres: { pid: number; url: string };
  nats: { pid: number; url: string };
  servers: string;
}

export interface ChildHome {
  pid: number;
  /** Every line the program has written so far, one JSON object each. */
  lines: readonly Line[];
  /** Resolves with the first matching line; rejects when the program ends before it. */
  line(satisfies: (line: Line) => boolean): Promise<Line>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface Line {
  progress?: string;
  ready?: Ready;
  failed?: { code: string; message: string; hint: string };
  closed?: boolean;
}

/** Runs a Touchstone home in a separate process (run-home.ts), as another user when we are root and `uid` is given. */
export function startChildHome(options: { folder: string; elsewhere?: string; uid?: number; gid?: number }): ChildHome {
  const { uid, gid, ...homeOptions } = options;
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "run-home.ts"), JSON.stringify(homeOptions)], {
    ...(uid !== undefined && { uid, gid: gid ?? uid, env: { PATH: process.env.PATH }, cwd: "/" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  const reader = createInterface({ input: (child as ChildProcess & { stdout: NodeJS.ReadableStream }).stdout });
  reader.on("line", (text) => lines.push(JSON.parse(text) as Line));
  const ended = once(reader, "close");
  return {
    pid: child.pid ?? 0,
    lines,
    async line(satisfies) {
      let isEnded = false;
      void ended.then(() => {
        isEnded = true;
      });
      for (;;) {
        const found = lines.find(satisfies);
        if (found) return found;
        if (isEnded) throw new Error(`The program ended: ${JSON.stringify(lines)}`);
        await sleep(5);
      }
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
  };
}

/** The child's message when its servers are up. */
export async function untilReady(child: ChildHome): Promise<Ready> {
  const line = await child.line((candidate) => candidate.ready !== undefined || candidate.failed !== undefined);
  if (line.ready) return line.ready;
  throw new Error(JSON.stringify(line));
}

/** The ids of the running children of a process. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}
