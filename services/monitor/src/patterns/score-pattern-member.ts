import type { Bus } from "@touchstone/bus";
import { isUuid } from "@touchstone/contracts";
import type { LiveBudget } from "../judging/live-budget-store.ts";
import { type ScoreMember, UnavailableError } from "../judging/member-scorer.ts";
import { askJudge, JudgeUnavailableError } from "./ask-judge.ts";
import { builtinPatterns } from "./builtin/builtins.ts";
import { goodnessByBuiltin, goodnessByPattern, overranMember } from "./matching/goodness.ts";
import { NoThreadError, OverrunError, type PatternMatcher } from "./matching/pattern-matcher.ts";
import { readTraceTexts } from "./matching/trace-texts.ts";
import { BudgetSpentError, UndecidedError } from "./matching/undecided-error.ts";
import type { PatternStore } from "./pattern-store.ts";
import { withinLiveBudget } from "./within-live-budget.ts";

/**
 * Scores members of groups that are patterns, built-in ones by their key: 0 for a failure that matches, 1 for proper conduct
 * that matches (completions 4.4), regardless of their own enabled state, sample and scope. Semantic conditions are live judge
 * calls.
 */
export function createScorePatternMember({
  patterns,
  matcher,
  bus,
  budget,
}: {
  patterns: Pick<PatternStore, "find">;
  matcher: PatternMatcher;
  bus: Bus;
  budget: Pick<LiveBudget, "reserve" | "release">;
}): ScoreMember {
  return async (refId, { projectId, trace }, signal) => {
    const scored = { checked: readTraceTexts(trace), matcher, projectId, signal };
    const builtin = builtinPatterns.find(({ key }) => key === refId);
    const pattern = builtin === undefined && isUuid(refId) ? await patterns.find(projectId, refId) : null;
    const name = builtin?.name ?? pattern?.document.name;
    if (name === undefined) return null;
    const decide = withinLiveBudget(askJudge(bus, { projectId }, signal), { budget, projectId });
    try {
      const goodness = await (pattern === null
        ? goodnessByBuiltin(refId, scored)
        : goodnessByPattern(pattern.document, scored, decide));
      return { name, goodness, because: null };
    } catch (thrown) {
      if (thrown instanceof OverrunError) return { name, goodness: null, because: overranMember };
      if (thrown instanceof JudgeUnavailableError || thrown instanceof NoThreadError)
        throw new UnavailableError(thrown.message);
      if (thrown instanceof UndecidedError && thrown.isLasting) {
        const stoppedByBudget = thrown instanceof BudgetSpentError;
        return { name, goodness: null, because: thrown.message, stoppedByBudget };
      }
      throw thrown;
    }
  };
}
