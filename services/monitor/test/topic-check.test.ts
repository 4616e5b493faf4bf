import { expect, test } from "vitest";
import { createTopicCheck } from "../src/topics/topic-check.ts";
import { buildTrace } from "./judging-builders.ts";

test("a topic check whose labels cannot be read takes no call of the day's budget", async () => {
  let used = 0;
  const check = createTopicCheck({
    ingest: { readTrace: async (_, traceId) => buildTrace({ traceId }), readTurns: async () => [] },
    topics: {
      listFrequent: async () => {
        throw new Error("The database is unavailable.");
      },
    },
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
    bus: null as never,
  });
  const plan = { scope: "trace", agentId: null, sessionId: null, createdAt: new Date().toISOString() };
  const due = {
    ...({ kind: "topic", scorerId: "", subjectId: "trace", round: 0, plan } as const),
    ...{ id: "check", projectId: "project", attempt: 1 },
  };

  await expect(check.carryOut(due, new AbortController().signal)).rejects.toThrow("The database is unavailable.");
  expect(used).toBe(0);
});
