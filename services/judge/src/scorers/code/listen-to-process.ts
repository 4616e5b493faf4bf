import { createFrameReader } from "./child/frames.ts";
import type { ConfinedProcess } from "./start-confined.ts";

/** More than the longest outcome: three texts of 2,000 characters, each escaped in JSON. */
const outcomeMaxBytes = 64 * 1024;

/** A frame, or the end of the process with its reason. */
export type Answer = { kind: "frame"; text: string } | { kind: "ended"; reason: string; tooLarge: boolean };

export interface Answers {
  /** The next frame, or the end. One caller at a time. */
  next(): Promise<Answer>;
  hasEnded(): boolean;
}

/** Listens to a process. A process that sends unrequested or too much output is killed. */
export function listenToProcess(child: ConfinedProcess): Answers {
  const readFrames = createFrameReader(outcomeMaxBytes);
  let waiting: ((answer: Answer) => void) | null = null;
  let end: Extract<Answer, { kind: "ended" }> | null = null;

  function finish(reason: string, tooLarge = false): void {
    end ??= { kind: "ended", reason, tooLarge };
    child.kill("SIGKILL");
    waiting?.(end);
    waiting = null;
  }

  child.stdout.on("data", (chunk: Buffer) => {
    if (end !== null) return;
    try {
      for (const text of readFrames(chunk)) {
        if (waiting === null) return finish("It spoke without being asked.");
        waiting({ kind: "frame", text });
        waiting = null;
      }
    } catch {
      finish("It said too much at once.", true);
    }
  });
  // Each of these errors is followed by the end of the process, which is reported.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  child.once("error", (error) => finish(`It could not be started: ${error.message}.`));
  // Not `exit`: its last output may still be in the pipe then.
  child.once("close", (code, signal) => finish(`It ended (${signal ?? `code ${code}`}).`));

  return {
    next: () => (end === null ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(end)),
    hasEnded: () => end !== null,
  };
}
