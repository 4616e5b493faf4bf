import type { EvaluationProgress } from "@touchstone/sdk";
import { Presets, SingleBar } from "cli-progress";

/** Shows how far an evaluation is. */
export interface ProgressView {
  update(progress: EvaluationProgress): void;
  stop(): void;
}

const lineEveryMs = 10_000;

/** A bar on a terminal; elsewhere a line at most every ten seconds, so that a log stays readable. */
export function showProgress(total: number, note: (text: string) => void, isTerminal: boolean): ProgressView {
  if (isTerminal) {
    const format = "{bar} {value} of {total} judged, {answered} answered, {failed} failed";
    const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
    bar.start(total, 0, { answered: 0, failed: 0 });
    return {
      update: ({ submitted, answered, failed }) => bar.update(submitted, { answered, failed }),
      stop: () => bar.stop(),
    };
  }
  let lastMs = performance.now();
  return {
    update({ submitted, answered, failed }) {
      if (performance.now() - lastMs < lineEveryMs) return;
      lastMs = performance.now();
      note(`${submitted} of ${total} judged, ${answered} answered, ${failed} failed`);
    },
    stop() {},
  };
}
