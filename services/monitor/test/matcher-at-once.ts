import { createPatternMatcher } from "../src/patterns/matching/pattern-matcher.ts";
import * as thread from "../src/patterns/matching/patterns-thread.ts";

/** Matches patterns without threads, for tests of the results. */
export const matcherAtOnce = createPatternMatcher({
  run: async (task, input) =>
    (thread as unknown as Record<string, (given: unknown) => never>)[task.name]?.(input) as never,
});
