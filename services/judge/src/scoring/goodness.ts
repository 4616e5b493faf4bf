import { limits } from "@touchstone/contracts";

/** What the scorer behind a member of a group said. Null = it said nothing. */
export type MemberOutcome =
  | { kind: "judge"; rating: number | null }
  /** A pattern of failure that matched is bad, one of proper conduct that matched is good. */
  | { kind: "pattern"; matched: boolean | null; polarity: "failure" | "proper" }
  /** A custom scorer gives a number, or says whether it flagged the result; `invertMatch` turns the latter round. */
  | { kind: "custom"; score: number | null }
  | { kind: "custom"; flagged: boolean | null; invertMatch: boolean }
  /** Somebody else found out. */
  | { kind: "known"; goodness: number | null };

/** How good a member found the result, from 0 to 1, or null when it gave nothing (completions 4.4). */
export function goodnessOf(outcome: MemberOutcome): number | null {
  if (outcome.kind === "judge") {
    const goodness = clamp(outcome.rating, limits.ratingMax);
    return goodness === null ? null : goodness / limits.ratingMax;
  }
  if (outcome.kind === "pattern") {
    return outcome.matched === null ? null : Number(outcome.matched === (outcome.polarity === "proper"));
  }
  if (outcome.kind === "known") return clamp(outcome.goodness, 1);
  if ("score" in outcome) return clamp(outcome.score, 1);
  return outcome.flagged === null ? null : Number(outcome.flagged === outcome.invertMatch);
}

function clamp(value: number | null, max: number): number | null {
  return value === null || Number.isNaN(value) ? null : Math.min(max, Math.max(0, value));
}
