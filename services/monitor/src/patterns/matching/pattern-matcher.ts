import { deadlines, type PatternCondition } from "@touchstone/contracts";
import { AppError, ComputeError, type ComputePool, type ComputeTask, defineComputeTask } from "@touchstone/service-kit";
import { type BuiltinFinding, findBuiltin } from "../builtin/builtins.ts";
import type { WrittenRegex } from "./compile-regex.ts";
import { type Excerpt, findExcerpt, showBeginning } from "./find-excerpt.ts";
import { type LookThrough, lookThrough } from "./look-through.ts";
import type { TraceTexts } from "./pattern.ts";
import type * as thread from "./patterns-thread.ts";
import type { CheckedTexts } from "./trace-texts.ts";

/** For whom texts are looked through, and until when. */
export interface Looker {
  projectId: string;
  signal?: AbortSignal;
}

/** What was found of each condition of one pattern, for `evaluateConditions`; an error: it could not be looked for in time. */
export type Looked = Uint8Array | OverrunError;

/**
 * Looks for patterns in texts that others wrote. What may take long runs in threads, each pattern with a deadline
 * (`deadlines.patternMs`); what cannot takes no thread: short texts without a regex. All reject with {@link NoThreadError}
 * where too much waits already.
 */
export interface PatternMatcher {
  /** What the first of some built-in patterns finds in the response; null = nothing. Rejects with {@link OverrunError}. */
  findBuiltin(checked: CheckedTexts, keys: readonly string[], looker: Looker): Promise<BuiltinFinding | null>;
  /** What holds of the conditions of each pattern, in their order. One that takes too long takes nothing from the others. */
  lookThrough(texts: TraceTexts, patterns: LookThrough["patterns"], looker: Looker): Promise<Looked[]>;
  /** What a pattern that matches goes by; the beginning of the text where finding the place takes too long. */
  findExcerpt(conditions: readonly PatternCondition[], texts: TraceTexts, looker: Looker): Promise<Excerpt>;
  /** Why one of some regexes cannot be used, in words for its author; null = all can. */
  findRefusal(regexes: readonly WrittenRegex[], looker: Looker): Promise<string | null>;
}

/** Looking for a pattern took too long, or too much memory. Its message follows the name of the pattern. */
export class OverrunError extends Error {
  readonly kind: "timeout" | "memory";

  constructor(kind: OverrunError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Too much waits for a thread already: nothing was looked for, and may be later. */
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

/** What takes no thread: so many characters for each look at them, about 3 ms. */
const lightWorkMax = 128 * 1024;
/** How much slower than a term a phrase or a built-in pattern reads. */
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
        // The first that is not done is the one that was being looked for, unless it was done just now.
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

/** How many characters are read, each time they are; without a bound where a regex reads them. */
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
