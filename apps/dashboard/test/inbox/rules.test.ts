import { describe, expect, test } from "vitest";
import { countOfChoice, neighbourOf, tracesOfRule, withStatus } from "../../src/inbox/rules.ts";

describe("what is selected when a row leaves", () => {
  test("the one below it", () => expect(neighbourOf(["a", "b", "c"], "b")).toBe("c"));
  test("of the last one the one above", () => expect(neighbourOf(["a", "b", "c"], "c")).toBe("b"));
  test("of the only one nothing", () => expect(neighbourOf(["a"], "a")).toBeUndefined());
  test("of one that is not in the list the first", () => expect(neighbourOf(["a", "b"], "x")).toBe("a"));
});

describe("the list once a signal has another status", () => {
  const page = {
    signals: [
      { _id: "a", status: "open" as const },
      { _id: "b", status: "reopened" as const },
    ],
    totalCount: 2,
    statusCounts: { open: 1, reopened: 1, resolved: 3 },
  };

  test("the row leaves a list that does not take the status, and the counts follow", () => {
    const [changed] = withStatus([page], { id: "a", status: "resolved", choice: "open" });
    expect(changed?.signals.map(({ _id }) => _id)).toEqual(["b"]);
    expect(changed).toMatchObject({ totalCount: 1, statusCounts: { open: 0, reopened: 1, resolved: 4 } });
  });

  test("it stays in a list of all", () => {
    const [changed] = withStatus([page], { id: "b", status: "dismissed", choice: "all" });
    expect(changed).toMatchObject({ totalCount: 2, statusCounts: { reopened: 0, dismissed: 1 } });
    expect(changed?.signals[1]).toEqual({ _id: "b", status: "dismissed" });
  });

  test("nothing changes for a signal that the list does not have", () =>
    expect(withStatus([page], { id: "x", status: "resolved", choice: "open" })).toEqual([page]));
});

test("open counts those that came back, all counts everything", () => {
  const counts = { open: 2, reopened: 1, in_review: 4, archived: 8 };
  expect(countOfChoice(counts, "open")).toBe(3);
  expect(countOfChoice(counts, "dismissed")).toBe(0);
  expect(countOfChoice(counts, "all")).toBe(15);
});

test("a rule's traces are those of its stretch of time before it fired", () => {
  const firedAt = "2026-11-20T12:00:00.000Z";
  expect(tracesOfRule({ metric: "failureRate", agentId: "a", windowMinutes: 90 }, firedAt)).toEqual({
    agent: "a",
    source: "production",
    from: "2026-11-20T10:30:00.000Z",
    to: firedAt,
    rating: "failing",
  });
  expect(tracesOfRule({ metric: "traceCount", agentId: null, windowMinutes: 1 }, firedAt)).toEqual({
    source: "production",
    from: "2026-11-20T11:59:00.000Z",
    to: firedAt,
  });
});
