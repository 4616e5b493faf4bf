import { budgetExhausted, type LiveBudget } from "../judging/live-budget-store.ts";
import { JudgeUnavailableError } from "./ask-judge.ts";
import type { DecideSemantic } from "./matching/evaluate-conditions.ts";
import { BudgetSpentError, UndecidedError } from "./matching/undecided-error.ts";

/**
 * Counts each request to the judge as a live call of the project, reserved in advance and returned if no call was made
 * (completions 1.4). When the day's calls are spent, throws {@link BudgetSpentError} without a request.
 */
export function withinLiveBudget(
  decide: DecideSemantic,
  { budget, projectId }: { budget: Pick<LiveBudget, "reserve" | "release">; projectId: string },
): DecideSemantic {
  let isSpent = false;
  return async (prompt, text) => {
    const reservation = isSpent ? null : await budget.reserve(projectId, 1);
    if (reservation === null) {
      isSpent = true;
      throw new BudgetSpentError(budgetExhausted);
    }
    try {
      return await decide(prompt, text);
    } catch (thrown) {
      const wasAsked = thrown instanceof UndecidedError ? thrown.wasAsked : !(thrown instanceof JudgeUnavailableError);
      if (!wasAsked) await budget.release(reservation, 1);
      throw thrown;
    }
  };
}
