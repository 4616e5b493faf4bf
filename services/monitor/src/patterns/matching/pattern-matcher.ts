import { deadlines, type PatternCondition } from "@touchstone/contracts";
import { AppError, ComputeError, type ComputePool, type ComputeTask, defineComputeTask } from "@touchstone/service-kit";
import { type BuiltinFinding, findBuiltin } from "../builtin/builtins.ts";
import type { WrittenRegex } from "./compile-regex.ts";
import { type Excerpt, findExcerpt, showBeginning } from "./find-excerpt.ts";
import { type LookThrough, lookThrough } from "./look-through.ts";
import type { TraceTexts } from "./pattern.ts";
import type * as thread from "./patterns-thread.ts";
import type { CheckedTexts } from "./trace-texts.ts";

/** The project that texts are searched for, and the deadline. */
export interface Looker {
  projectId: string;
  signal?: AbortSignal;
}

/** The results of the conditions of one pattern, for `evaluateConditions`; an error: it timed out. */
export type Looked = Uint8Array | OverrunError;

/**
 * Searches untrusted texts for patterns. Long searches run in threads, each pattern with a deadline (`deadlines.patternMs`);
 * short texts without a regex need no thread. All reject with {@link NoThreadError} when the queue is full.
 */
export interface PatternMatcher {
  /**
   * The match of the first matching built-in pattern in the response; null = none. Rejects with {@link OverrunError}.
   */
  findBuiltin(checked: CheckedTexts, keys: readonly string[], looker: Looker): Promise<BuiltinFinding | null>;
  /** The results of the conditions of each pattern, in order. A pattern that times out does not affect the others. */
  lookThrough(texts: TraceTexts, patterns: LookThrough["patterns"], looker: Looker): Promise<Looked[]>;
  /** The excerpt of a matching pattern; the beginning of the text if the search times out. */
  findExcerpt(conditions: readonly PatternCondition[], texts: TraceTexts, looker: Looker): Promise<Excerpt>;
  /** The reason why one of some regexes is unusable, in words for its author; null = all are usable. */
  findRefusal(regexes: readonly WrittenRegex[], looker: Looker): Promise<string | null>;
}

/** The search for a pattern took too much time or memory. Its message follows the name of the pattern. */
export class OverrunError extends Error {
  readonly kind: "timeout" | "memory";

  constructor(kind: OverrunError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The queue for threads is full: nothing was searched, and a retry may succeed. */
export class NoThreadError extends AppError {
  constructor(cause: ComputeError) {
    super("service_unavailable", "Too many patterns are being looked for at the moment; retry.", { cause });
  }
}

const file = new URL("./patterns-thread.ts", import.meta.url);
const tasks = {
  findBuiltin: defineComputeTask<typeof thread.findBuiltin>("findBuiltin", file),
  lookThrough: defineComputeTask<typeof thread.lookThrough>("lookThrough", file),
  findExcerpt: defineComputeTask<typeof thread.findExcerpt>("findExcerpt", file),
  findRefusal: defineComputeTask<typeof thread.findRefusal>("findRefusal", file),
};

/** The limit for work without a thread: characters times passes, about 3 ms. */
const lightWorkMax = 128 * 1024;
/** How much slower a phrase or a built-in pattern is than a term. */
const slowWeight = 6;

export function createPatternMatcher(
  pool: Pick<ComputePool, "run">,
  { patternMs, patternsMs }: { patternMs: number; patternsMs: number } = deadlines,
): PatternMatcher {
  /** Rejects with {@link OverrunError} and {@link NoThreadError}. */
  async function compute<Input, Output>(
    task: ComputeTask<Input, Output>,
    input: Input,
    { projectId, signal }: Looker,
  ): Promise<Output> {
    try {
      return await pool.run(task, input, { deadlineMs: patternMs, projectId, signal });
    } catch (thrown) {
      if (!(thrown instanceof ComputeError)) throw thrown;
      if (thrown.kind === "timeout") throw new OverrunError("timeout", `took more than ${patternMs} ms`);
      if (thrown.kind === "memory") throw new OverrunError("memory", "needed too much memory");
      throw new NoThreadError(thrown);
    }
  }

  async function lookThroughInThread(look: LookThrough, looker: Looker): Promise<Map<number, OverrunError>> {
    const overran = new Map<number, OverrunError>();
    const endsAt = performance.now() + patternsMs;
    const doneOf = (): number => Atomics.load(look.done, 0);
    while (doneOf() < look.patterns.length) {
      if (performance.now() > endsAt) {
        const because = `was not looked for: all patterns together took more than ${patternsMs} ms`;
        const late = new OverrunError("timeout", because);
        for (let at = doneOf(); at < look.patterns.length; at += 1) overran.set(at, late);
        break;
      }
      await compute(tasks.lookThrough, look, looker).catch((thrown: unknown) => {
        if (!(thrown instanceof OverrunError)) throw thrown;
        // The first unfinished pattern was being searched for, unless it has just finished.
        const at = doneOf();
        if (Atomics.compareExchange(look.done, 0, at, at + 1) === at) overran.set(at, thrown);
      });
    }
    return overran;
  }

  return {
    async findBuiltin({ texts, cut }, keys, looker) {
      const look = { response: texts.response, isCut: cut.includes("response"), keys };
      const isLight = texts.response.length * keys.length * slowWeight <= lightWorkMax;
      return isLight ? findBuiltin(look) : compute(tasks.findBuiltin, look, looker);
    },

    async lookThrough(texts, patterns, looker) {
      const starts: number[] = [];
      let count = 0;
      for (const conditions of patterns) {
        starts.push(count);
        count += conditions.length;
      }
      const look = {
        texts,
        patterns,
        found: new Uint8Array(new SharedArrayBuffer(count)),
        done: new Int32Array(new SharedArrayBuffer(4)),
      };
      const isLight = workOf(patterns.flat(), texts) <= lightWorkMax;
      if (isLight) while ((look.done[0] ?? 0) < patterns.length) lookThrough(look);
      const overran = await lookThroughInThread(look, looker);
      return patterns.map(({ length }, at) => {
        const start = starts[at] ?? 0;
        return overran.get(at) ?? look.found.subarray(start, start + length);
      });
    },

    async findExcerpt(conditions, texts, looker) {
      const excerpted = { conditions, texts };
      if (workOf(conditions, texts) <= lightWorkMax) return findExcerpt(excerpted);
      return compute(tasks.findExcerpt, excerpted, looker).catch((thrown: unknown) => {
        if (thrown instanceof OverrunError) return showBeginning(excerpted);
        throw thrown;
      });
    },

    async findRefusal(regexes, looker) {
      if (regexes.length === 0) return null;
      return compute(tasks.findRefusal, regexes, looker).catch((thrown: unknown) => {
        if (thrown instanceof OverrunError) return "Invalid regex: it takes too long to compile";
        throw thrown;
      });
    },
  };
}

/** The number of characters read, over all passes; infinite with a regex. */
function workOf(conditions: readonly PatternCondition[], texts: TraceTexts): number {
  let work = 0;
  for (const { detector, sources } of conditions) {
    if (detector === "regex") return Number.POSITIVE_INFINITY;
    if (detector === "semantic") continue;
    const chars = sources.reduce((sum, source) => sum + texts[source].length, 0);
    work += chars * (detector === "phrase" ? slowWeight : 1);
  }
  return work;
}
