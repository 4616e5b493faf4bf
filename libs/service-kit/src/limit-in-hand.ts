import { AppError } from "./app-error.ts";

/** Runs a piece of work unless too many of its kind are running. */
export type LimitInHand = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Limits concurrent pieces of one kind of long work in this process. Beyond that nothing is started, and
 * `service_unavailable` is thrown with the sentence.
 */
export function createLimitInHand(max: number, sentence: string): LimitInHand {
  let inHand = 0;
  return async (work) => {
    if (inHand >= max) throw new AppError("service_unavailable", sentence);
    inHand += 1;
    try {
      return await work();
    } finally {
      inHand -= 1;
    }
  };
}
