import { BusError } from "@touchstone/bus";
import { expect, test } from "vitest";
import type { Reservation } from "../../src/judging/live-budget-store.ts";
import { UnavailableError } from "../../src/judging/member-scorer.ts";
import { createScorePatternMember } from "../../src/patterns/score-pattern-member.ts";
import { buildTrace } from "../judging-builders.ts";
import { matcherAtOnce } from "../matcher-at-once.ts";

const refId = "019a2f6c-7d1e-7a3b-9c4d-5e6f70819204";
const semantic = { connector: "or", negate: false, sources: ["response"], detector: "semantic", caseSensitive: false };
const document = { name: "Rude", polarity: "failure", conditions: [{ ...semantic, value: "is rude" }] };

/** A pattern as a member of a live group; `used` counts the calls that were reserved and not released. */
function build(left: number, reply: unknown) {
  const calls = { used: 0, asked: 0 };
  const budget = {
    async reserve(projectId: string, count: number): Promise<Reservation | null> {
      if (calls.used + count > left) return null;
      calls.used += count;
      return { projectId, day: "2026-01-01", calls: count };
    },
    async release(_: Reservation, count: number) {
      calls.used -= count;
    },
  };
  const request = async () => {
    calls.asked += 1;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const score = createScorePatternMember({
    patterns: { find: async () => ({ id: refId, document }) as never },
    matcher: matcherAtOnce,
    bus: { request } as never,
    budget,
  });
  const trace = { projectId: "p", trace: buildTrace({ output: "Go away." }) };
  return { calls, score: () => score(refId, trace, new AbortController().signal) };
}

const failure = (reason: string, isPassing?: boolean) => ({
  match: null,
  failure: { reason, message: reason, isPassing },
});

test("a pattern of a live group asks within the budget, and says when it is spent", async () => {
  const { calls, score } = build(1, { match: { matched: true, reason: "It is." }, failure: null });
  expect(await score()).toEqual({ name: "Rude", goodness: 0, because: null });
  expect(await score()).toEqual({
    name: "Rude",
    goodness: null,
    because: "Online judge budget exhausted",
    stoppedByBudget: true,
  });
  expect(calls).toEqual({ used: 1, asked: 1 });
});

test.each([
  ["no_key", 0],
  ["quota", 0],
  ["too_large", 0],
] as const)("a call that never reaches a provider is not charged: %s", async (reason, used) => {
  const { calls, score } = build(1, failure(reason));
  expect(await score()).toMatchObject({ goodness: null, because: reason, stoppedByBudget: false });
  expect(calls).toEqual({ used, asked: 1 });
});

test.each([
  [failure("provider_error"), 1],
  [new BusError("timeout", "late", { subject: "s" }), 1],
  [new BusError("no_responder", "away", { subject: "s" }), 0],
  [failure("quota", true), 0],
])("a call that may have reached a provider counts, and is retried (%#)", async (reply, used) => {
  const { calls, score } = build(1, reply);
  await expect(score()).rejects.toThrow(used === 0 ? UnavailableError : Error);
  expect(calls.used).toBe(used);
});
