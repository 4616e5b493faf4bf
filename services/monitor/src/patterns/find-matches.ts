import { setImmediate } from "node:timers/promises";
import type { Polarity, Severity } from "../signals/signal.ts";
import { findBuiltin } from "./builtin/builtins.ts";
import { type DecideSemantic, evaluateConditions } from "./evaluate-conditions.ts";
import type { StoredPattern, TraceTexts } from "./pattern.ts";
import { UndecidedError } from "./undecided-error.ts";

/** One pattern that matched. */
export interface PatternMatch {
  patternKey: string;
  name: string;
  /** `pattern_match`, or of a built-in its key with underscores. */
  type: string;
  severity: Severity;
  polarity: Polarity;
  /** Why, where somebody said it. */
  reason: string | null;
}

/**
 * What matches in one trace: of the built-in patterns the first, and every one of the project's own. A pattern whose
 * judge cannot say removes only itself: it is in `undecided`.
 */
export async function findMatches(
  texts: TraceTexts,
  wanted: { builtinKeys: readonly string[]; patterns: readonly StoredPattern[] },
  decide: DecideSemantic,
): Promise<{ matches: PatternMatch[]; undecided: UndecidedError[] }> {
  const matches: PatternMatch[] = [];
  const undecided: UndecidedError[] = [];
  const builtin = findBuiltin(texts.response, wanted.builtinKeys);
  if (builtin !== null) {
    const { key, name, severity } = builtin.pattern;
    const type = key.replaceAll("-", "_");
    matches.push({ patternKey: key, name, type, severity, polarity: "failure", reason: builtin.found });
  }
  for (const { key, document } of wanted.patterns) {
    // Each is bounded, all of them together are many: others get their turn in between.
    await setImmediate();
    try {
      const { matched, reasons } = await evaluateConditions(document.conditions, texts, decide);
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
