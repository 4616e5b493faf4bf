import type { ScoredResult } from "../submit-answers.ts";

/** The matcher `toBeRated`, as Vitest and Jest extend their `expect`. */
export function toBeRated(received: Pick<ScoredResult, "rating" | "justification">, least: number) {
  const { rating, justification } = received;
  return {
    pass: rating !== null && rating >= least,
    message: () =>
      `The answer is ${rating === null ? "not rated" : `rated ${rating}`}, ${least} or more expected. ${justification ?? ""}`.trim(),
    actual: rating,
    expected: least,
  };
}
