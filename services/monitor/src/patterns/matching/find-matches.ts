import type { Polarity, Severity } from "../../model/finding.ts";
import { type BuiltinFinding, builtinPatterns } from "../builtin/builtins.ts";
import { type DecideSemantic, evaluateConditions } from "./evaluate-conditions.ts";
import type { StoredPattern, TraceTexts } from "./pattern.ts";
import { type Looked, type Looker, OverrunError, type PatternMatcher } from "./pattern-matcher.ts";
import type { CheckedTexts } from "./trace-texts.ts";
import { UndecidedError } from "./undecided-error.ts";

/** One pattern that matched. */
export interface PatternMatch {
  patternKey: string;
  name: string;
  /** `pattern_match`, or for a built-in its key with underscores. */
  type: string;
  severity: Severity;
  polarity: Polarity;
  /** The judge's reason, if there is one. */
  reason: string | null;
}

/** The patterns to look for in a trace. */
export interface WantedPatterns {
  builtinKeys: readonly string[];
  patterns: readonly StoredPattern[];
}

/** The matches in the texts of a trace, before any judge is asked. */
export interface Findings {
  texts: TraceTexts;
  builtin: BuiltinFinding | null;
  /** The project's own patterns, with the results of their conditions. */
  looked: readonly { pattern: StoredPattern; found: Uint8Array }[];
  /** Patterns that timed out, for people to read. */
  overran: readonly string[];
}

/** Searches a trace for patterns. A pattern that times out affects only itself. */
export async function findInTexts(
  checked: CheckedTexts,
  { builtinKeys, patterns }: WantedPatterns,
  { matcher, ...looker }: Looker & { matcher: PatternMatcher },
): Promise<Findings> {
  const overran: string[] = [];
  const builtin = await matcher.findBuiltin(checked, builtinKeys, looker).catch((thrown: unknown) => {
    if (!(thrown instanceof OverrunError)) throw thrown;
    overran.push(`${thrown.kind}: looking for built-in patterns ${thrown.message}`);
    return null;
  });
  const conditions = patterns.map(({ document }) => document.conditions);
  const looked: readonly Looked[] = await matcher.lookThrough(checked.texts, conditions, looker);
  const done = patterns.flatMap((pattern, at) => {
    const found = looked[at];
    if (found instanceof Uint8Array) return [{ pattern, found }];
    overran.push(`${found?.kind}: ${pattern.key} ${found?.message}`);
    return [];
  });
  return { texts: checked.texts, builtin, looked: done, overran };
}

/**
 * The matches in one trace: of the built-in patterns the first, and all of the project's own. A pattern whose judge cannot
 * decide affects only itself: it is in `undecided`.
 */
export async function findMatches(
  { texts, builtin, looked }: Findings,
  decide: DecideSemantic,
): Promise<{ matches: PatternMatch[]; undecided: UndecidedError[] }> {
  const matches: PatternMatch[] = builtin === null ? [] : matchOfBuiltin(builtin);
  const undecided: UndecidedError[] = [];
  for (const { pattern, found } of looked) {
    const { key, document } = pattern;
    try {
      const { matched, reasons } = await evaluateConditions(document.conditions, { texts, found }, decide);
      if (!matched) continue;
      const { name, severity, polarity } = document;
      const reason = reasons.length === 0 ? null : reasons.join(" ");
      matches.push({ patternKey: key, name, type: "pattern_match", severity, polarity, reason });
    } catch (thrown) {
      if (!(thrown instanceof UndecidedError)) throw thrown;
      undecided.push(thrown);
    }
  }
  return { matches, undecided };
}

function matchOfBuiltin({ key, found }: BuiltinFinding): PatternMatch[] {
  return builtinPatterns
    .filter((pattern) => pattern.key === key)
    .map(({ name, severity }) => {
      const type = key.replaceAll("-", "_");
      return { patternKey: key, name, type, severity, polarity: "failure", reason: found };
    });
}
