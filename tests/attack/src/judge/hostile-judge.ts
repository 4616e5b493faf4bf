import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { nodeEnvironment } from "../../../integration/src/service-process.ts";

/** A provider whose answers are as long and as hard to parse as a model's can be, in a process of its own. */
export interface HostileJudge {
  baseUrl: string;
  /** Discards recorded questions, which would keep every prompt. */
  forget(): void;
  stop(): void;
}

export async function startHostileJudge(seed: number): Promise<HostileJudge> {
  const child = fork(path.join(import.meta.dirname, "process.ts"), [String(seed)], {
    env: { ...process.env, ...nodeEnvironment },
  });
  const [baseUrl] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Error("The process of the hostile judge ended.");
    }),
  ]);
  return {
    baseUrl,
    forget: () => void (child.connected && child.send("forget")),
    stop: () => void child.kill("SIGKILL"),
  };
}
