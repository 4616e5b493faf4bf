import { createFrameReader } from "./child/frames.ts";
import type { ConfinedProcess } from "./start-confined.ts";

/** More than the longest outcome takes: three texts of 2,000 characters, each escaped in JSON. */
const outcomeMaxBytes = 64 * 1024;

/** A frame, or the end of the process and why. */
export type Answer = { kind: "frame"; text: string } | { kind: "ended"; reason: string; tooLarge: boolean };

export interface Answers {
  /** The next frame, or the end. One caller at a time. */
  next(): Promise<Answer>;
  hasEnded(): boolean;
}

/** Listens to a process. One that says more than it was asked for, or too much at once, is killed. */
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
  // Each of these is followed by the end of the process, which is what is reported.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  child.once("error", (error) => finish(`It could not be started: ${error.message}.`));
  // Not its exit: what it said last may still be on its way then.
  child.once("close", (code, signal) => finish(`It ended (${signal ?? `code ${code}`}).`));

  return {
    next: () => (end === null ? new Promise((resolve) => (waiting = resolve)) : Promise.resolve(end)),
    hasEnded: () => end !== null,
  };
}
