import type { GroupScore, JudgeRubric, Verdict } from "@touchstone/contracts";
import type { CodeScope } from "./code/score-code.ts";

/**
 * The judges' ratings for code scorers (completions 6.1): the result's rating, which is the group's if a group rates and else
 * the primary judge's, and each rating by its judge's name; judges that skipped are left out. A judge without a name is listed
 * by its id, and the first of several with one name counts. Undefined when no judge was asked.
 */
export function judgeScoresOf(
  rubrics: readonly JudgeRubric[],
  verdicts: readonly Verdict[],
  group: GroupScore | null,
): CodeScope["scores"] {
  if (rubrics.length === 0 && group === null) return undefined;
  const primary = verdicts.find((verdict) => verdict.judgeId === "primary");
  const names = new Map(rubrics.map(({ id, name }) => [id, name ?? id]));
  const judges = new Map<string, number>();
  for (const { judgeId, rating } of verdicts) {
    const name = names.get(judgeId) ?? judgeId;
    if (rating !== null && !judges.has(name)) judges.set(name, rating);
  }
  return { rating: group === null ? (primary?.rating ?? null) : group.rating, judges: Object.fromEntries(judges) };
}
