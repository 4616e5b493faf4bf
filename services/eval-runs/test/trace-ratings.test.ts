import { expect, test } from "vitest";
import type { Grader, GradingPlan } from "../src/grading/plan.ts";
import { ratingsOf } from "../src/judging/trace-ratings.ts";
import type { ResultRow } from "../src/results/stored-result.ts";

const traceId = "019a2f6d-0b52-7f10-8a21-3c4d5e6f7081";
const grader = (id: string, name: string | null, model: string | null) => ({ id, name, model }) as Grader;
const plan = (primary: GradingPlan["primary"], ...additional: Grader[]): GradingPlan => ({
  ...{ primary, additional, codeScorers: [] },
  metrics: {} as GradingPlan["metrics"],
});
const judged = (scorerId: string, rating: number | null) => ({
  ...{ scorerId, name: scorerId.toUpperCase(), rating, justification: `of ${scorerId}` },
  status: "scored" as const,
});
const row = (more: Partial<ResultRow>) =>
  ({ traceId, rating: 7, justification: "Fine.", judgeScorerResults: null, ...more }) as ResultRow;

test("a result that names a trace publishes the ratings of its judge and the additional ones; skipped ones publish nothing", () => {
  const beside = [judged("b", 3), judged("c", null)];
  const graded = plan(
    { kind: "judge", grader: grader("a", null, "m") },
    grader("b", "B", null),
    grader("c", "C", null),
  );
  expect(ratingsOf("r", row({ judgeScorerResults: beside }), graded)).toEqual([
    {
      ...{ verdictId: "r", traceId, scorerKind: "judge", scorerId: "a", scorerName: "Judge" },
      ...{ rating: 7, justification: "Fine.", model: "m" },
    },
    {
      ...{ verdictId: "r:b", traceId, scorerKind: "judge", scorerId: "b", scorerName: "B" },
      ...{ rating: 3, justification: "of b", model: null },
    },
  ]);
});

test("a group speaks for its members", () => {
  const group = { kind: "group", groupId: "g", name: "All", members: [], graders: [] } as const;
  expect(ratingsOf("r", row({ judgeScorerResults: [judged("b", 3)] }), plan(group))).toMatchObject([
    { verdictId: "r", scorerKind: "group", scorerId: "g", scorerName: "All", rating: 7 },
  ]);
});

test.each([{ traceId: null }, { traceId: "no id of ours" }, { rating: null }])(
  "a result with %j says nothing",
  (more) => {
    expect(ratingsOf("r", row(more), plan({ kind: "judge", grader: grader("a", "A", null) }))).toEqual([]);
  },
);
