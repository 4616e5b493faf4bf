import { AppError } from "./app-error.ts";

/** Does a piece of work unless too much of its kind is in hand. */
export type LimitInHand = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * At most so many pieces of one kind of long work at a time in this process. Beyond that nothing is begun, and
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
