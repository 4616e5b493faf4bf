import type { Bus } from "@touchstone/bus";
import { isUuid } from "@touchstone/service-kit";
import type { LiveBudget } from "../judging/live-budget.ts";
import { AwayError, type ScoreMember } from "../judging/member-scorer.ts";
import { askJudge, JudgeAwayError } from "./ask-judge.ts";
import { builtinPatterns } from "./builtin/builtins.ts";
import { goodnessByBuiltin, goodnessByPattern } from "./goodness.ts";
import type { PatternStore } from "./pattern-store.ts";
import { readTraceTexts } from "./trace-texts.ts";
import { BudgetSpentError, UndecidedError } from "./undecided-error.ts";
import { withinLiveBudget } from "./within-live-budget.ts";

/**
 * Scores members of groups that are patterns, built-in ones by their key: a failure that is found is 0, what is proper
 * 1 (completions 4.4). Whether they are enabled, sampled or in scope by themselves does not count.
 * Semantic conditions are live judge calls.
 */
export function createScorePatternMember({
  patterns,
  bus,
  budget,
}: {
  patterns: Pick<PatternStore, "find">;
  bus: Bus;
  budget: Pick<LiveBudget, "reserve" | "giveBack">;
}): ScoreMember {
  return async (refId, { projectId, trace }, signal) => {
    const texts = readTraceTexts(trace);
    const builtin = builtinPatterns.find(({ key }) => key === refId);
    if (builtin !== undefined) {
      return { name: builtin.name, goodness: goodnessByBuiltin(refId, texts), because: null };
    }
    const pattern = isUuid(refId) ? await patterns.find(projectId, refId) : null;
    if (pattern === null) return null;
    const { name } = pattern.document;
    const decide = withinLiveBudget(askJudge(bus, { projectId }, signal), { budget, projectId });
    try {
      return { name, goodness: await goodnessByPattern(pattern.document, texts, decide), because: null };
    } catch (thrown) {
      if (thrown instanceof JudgeAwayError) throw new AwayError(thrown.message);
      if (thrown instanceof UndecidedError && thrown.isLasting) {
        const stoppedByBudget = thrown instanceof BudgetSpentError;
        return { name, goodness: null, because: thrown.message, stoppedByBudget };
      }
      throw thrown;
    }
  };
}
