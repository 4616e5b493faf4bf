import type { GroupScore } from "@touchstone/contracts";
import { goodnessOf, type MemberOutcome } from "./goodness.ts";

/** One member of a scorer group, with its scorer's result. */
export interface GroupMember {
  name: string;
  /** 0 or more; a member without weight counts only as a gate. */
  weight: number;
  /** True if the result must pass this member. */
  gate: boolean;
  outcome: MemberOutcome;
  /** The reason why its scorer has no result, in words for the client. */
  because?: string;
  /** True if the live judge budget was exhausted. Never set in a run, which has no such budget. */
  stoppedByBudget?: boolean;
}

/** The least goodness that passes a gate. */
const gatePassMin = 0.5;

/** The score of a group from its members' goodness, in the order of the rules of completions 4.4. */
export function aggregate(members: readonly GroupMember[]): GroupScore {
  const rated = members.map((member) => ({ ...member, goodness: goodnessOf(member.outcome) }));

  const failed = rated.find(({ gate, goodness }) => gate && goodness !== null && goodness < gatePassMin);
  if (failed) {
    const justification = `Gated to 0 by "${failed.name}" (must-pass member failed).`;
    return { rating: 0, justification, reason: null, gatedBy: failed.name };
  }
  const unrated = rated.find(({ gate, goodness }) => gate && goodness === null);
  if (unrated) {
    return noScore("gate_unrated", `No score: the must-pass member "${unrated.name}" gave none.${explain([unrated])}`);
  }

  const stopped = members.find((member) => member.stoppedByBudget === true);
  if (stopped)
    return noScore("quota", `No score: the live judge budget stopped "${stopped.name}".${explain([stopped])}`);

  const counted = rated.flatMap(({ weight, goodness }) =>
    goodness !== null && weight > 0 ? [{ weight, goodness }] : [],
  );
  if (counted.length === 0) {
    return noScore("no_score", `No score: no member with a weight gave one.${explain(members)}`);
  }

  return {
    rating: Math.round(Number((weightedMean(counted) * 100).toPrecision(12))) / 10,
    justification: `Weighted mean: ${rated.map(describe).join("; ")}.`,
    reason: null,
    gatedBy: null,
  };
}

function noScore(reason: NonNullable<GroupScore["reason"]>, justification: string): GroupScore {
  return { rating: null, justification, reason, gatedBy: null };
}

/** The members' reasons without duplicates: a missing key usually affects all. */
function explain(members: readonly GroupMember[]): string {
  return [...new Set(members.flatMap(({ because }) => because ?? []))].map((because) => ` ${because}`).join("");
}

/** Its last digits depend on the order of the members: rounding drops them, so that halves round up in any order. */
function weightedMean(counted: readonly { weight: number; goodness: number }[]): number {
  // Weights have no upper bound, and their sum must stay finite.
  const largest = Math.max(...counted.map(({ weight }) => weight));
  const scale = largest > 1e300 ? largest : 1;
  let sum = 0;
  let weights = 0;
  for (const { weight, goodness } of counted) {
    sum += (weight / scale) * goodness;
    weights += weight / scale;
  }
  return sum / weights;
}

function describe({ name, weight, gate, goodness }: GroupMember & { goodness: number | null }): string {
  const score = goodness === null ? "no score" : `${Math.round(goodness * 100) / 10} of 10`;
  return `"${name}" ${score} (weight ${weight}${gate ? ", must pass" : ""})`;
}
