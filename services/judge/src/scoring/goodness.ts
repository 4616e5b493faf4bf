import { limits } from "@touchstone/contracts";

/** The result of the scorer behind a member of a group. Null = none. */
export type MemberOutcome =
  | { kind: "judge"; rating: number | null }
  /** A match of a failure pattern is bad, a match of a proper-conduct pattern is good. */
  | { kind: "pattern"; matched: boolean | null; polarity: "failure" | "proper" }
  /** A custom scorer returns a number, or flags the result; `invertMatch` inverts the flag. */
  | { kind: "custom"; score: number | null }
  | { kind: "custom"; flagged: boolean | null; invertMatch: boolean }
  /** Already scored elsewhere. */
  | { kind: "known"; goodness: number | null };

/** The goodness of a result according to a member, from 0 to 1, or null without a result (completions 4.4). */
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
