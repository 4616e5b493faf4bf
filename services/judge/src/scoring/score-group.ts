import type { GroupRequest, GroupScore, Verdict } from "@touchstone/contracts";
import { aggregate, type GroupMember } from "./aggregate.ts";

const budgetExhausted = "Online judge budget exhausted";

/**
 * The score of a group, from the verdicts of its judges and the known results of its other members. A judge without a verdict
 * has no result.
 */
export function scoreGroup(group: GroupRequest, verdicts: readonly Verdict[]): GroupScore {
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.judgeId, verdict]));
  return aggregate(
    group.members.map((member): GroupMember => {
      const { name, weight, gate } = member;
      if (member.stoppedByBudget) {
        const outcome = { kind: "known", goodness: null } as const;
        return { name, weight, gate, outcome, because: budgetExhausted, stoppedByBudget: true };
      }
      if (member.kind !== "judge") {
        const outcome = { kind: "known", goodness: member.goodness } as const;
        return { name, weight, gate, outcome, ...(member.because !== null && { because: member.because }) };
      }
      const verdict = verdictOf.get(member.refId);
      const outcome = { kind: "judge", rating: verdict?.rating ?? null } as const;
      return { name, weight, gate, outcome, ...(verdict?.rating === null ? { because: verdict.justification } : {}) };
    }),
  );
}
