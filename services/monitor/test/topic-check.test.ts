import type { Bus } from "@touchstone/bus";
import { expect, test } from "vitest";
import { createTopicCheck } from "../src/topics/topic-check.ts";
import { buildTrace } from "./judging-builders.ts";

/** Carries a topic check out once. */
function checkTopic({ listFrequent, reply }: { listFrequent: () => Promise<string[]>; reply?: object }) {
  let used = 0;
  const check = createTopicCheck({
    ingest: { readTrace: async (_, traceId) => buildTrace({ traceId }), readTurns: async () => [] },
    topics: { listFrequent },
    budget: {
      async reserve(projectId, calls) {
        used += calls;
        return { projectId, day: "2026-01-01", calls };
      },
      async release(_, calls) {
        used -= calls;
      },
      readToday: async () => used,
    },
    bus: { request: async () => reply } as unknown as Bus,
  });
  const plan = { scope: "trace", agentId: null, sessionId: null, createdAt: new Date().toISOString() };
  const due = {
    ...({ kind: "topic", scorerId: "", subjectId: "trace", round: 0, plan } as const),
    ...{ id: "check", projectId: "project", attempt: 1 },
  };
  return { outcome: check.carryOut(due, new AbortController().signal), used: () => used };
}

test("a topic check whose labels cannot be read takes no call of the day's budget", async () => {
  const { outcome, used } = checkTopic({
    listFrequent: async () => {
      throw new Error("The database is unavailable.");
    },
  });

  await expect(outcome).rejects.toThrow("The database is unavailable.");
  expect(used()).toBe(0);
});

test.each([
  [{ isPassing: true }, "postponed"],
  [{}, "skipped"],
])(
  "a topic check with the judge's answer %j about its quota is %s, without a call of the day's budget",
  async (more, outcome) => {
    const failure = { reason: "quota", message: "No call is left.", ...more };
    const checked = checkTopic({ listFrequent: async () => [], reply: { topic: null, failure } });

    expect(await checked.outcome).toEqual({ outcome, reason: "No call is left." });
    expect(checked.used()).toBe(0);
  },
);

test("a topic check is repeated without a call of the day's budget if the judge asked no provider", async () => {
  const failure = { reason: "provider_error", message: "It keeps failing." };
  const unsent = checkTopic({
    listFrequent: async () => [],
    reply: { topic: null, failure: { ...failure, isUnsent: true } },
  });
  const sent = checkTopic({ listFrequent: async () => [], reply: { topic: null, failure } });

  expect(await Promise.all([unsent.outcome, sent.outcome])).toMatchObject([{ outcome: "retry" }, { outcome: "retry" }]);
  expect([unsent.used(), sent.used()]).toEqual([0, 1]);
});
