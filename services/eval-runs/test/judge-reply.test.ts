import { describe, expect, test } from "vitest";
import type { EvaluationCase } from "../src/grading/cases.ts";
import { type GradingPlan, planOfDataset, planOfRun } from "../src/grading/plan.ts";
import { composeJudgeRequest, type GradedResult, type LinkedTrace } from "../src/judging/judge-request.ts";
import { failedCase, type Judgement, type SubmittedResult, skipped } from "../src/judging/judgement.ts";
import { type JudgeReply, readReply } from "../src/judging/read-reply.ts";
import { composeResult } from "../src/results/stored-result.ts";
import { readSubmittedResult } from "../src/results/submitted-result.ts";

const source = (id: string, document: object = {}) => ({
  id,
  document: JSON.stringify({ name: `name of ${id}`, ...document }),
});
const named = { settings: null, group: null, groupJudges: new Map(), groupScorers: [], additional: [] };
const datasetPlan = planOfDataset(
  source("dataset", { jaccardSimilarity: { enabled: true }, codeScorers: [{ name: "length", code: "return 1" }] }),
);
const withTwoMore = planOfRun(datasetPlan, { ...named, additional: [source("a"), source("b")] });
const members = [
  { kind: "judge", refId: "a", weight: 1, gate: true },
  { kind: "judge", refId: "b", weight: 0.5, gate: false },
];
const byGroup = planOfRun(datasetPlan, {
  ...named,
  group: source("group", { members }),
  groupJudges: new Map(["a", "b"].map((id) => [id, source(id)])),
});

const evaluationCase: EvaluationCase = {
  query: "the case's question",
  followUps: [],
  expectedResults: "expected",
  judgeGuideline: "guideline",
  retrievalContext: ["pinned"],
  expectedRetrievalContext: "should be found",
  expectedTrajectory: { tools: ["search"], mode: "superset" },
  expectedCapabilities: ["plans"],
  expectedKnowledgeBase: ["prices"],
  expectedDelegations: ["billing"],
  smokeTest: null,
};
const linked: LinkedTrace = {
  trajectory: { steps: [], omittedSteps: 0, toolCalls: [{ name: "search" }], toolDefinitions: [] },
  error: null,
  retrieval: { source: "spans", texts: ["one", "two"] },
};
const submit = (more: object = {}): SubmittedResult => {
  const result = { idempotencyKey: "k", output: { text: "answer" }, runNumber: 3, ...more };
  return readSubmittedResult(result, JSON.stringify(result)) as SubmittedResult;
};
const graded = (plan: GradingPlan, more: Partial<GradedResult> = {}): GradedResult => ({
  plan,
  evaluationCase,
  submitted: submit(),
  linked,
  projectId: "p",
  organizationId: "o",
  verdictMode: "cache",
  ...more,
});

describe("the request to the judge", () => {
  test("has the judges in order, the primary under that name, and all that the case holds", () => {
    const { judges, ...request } = composeJudgeRequest(graded(withTwoMore));

    expect(judges.map(({ id, name }) => [id, name])).toEqual([
      ["primary", "name of dataset"],
      ["a", "name of a"],
      ["b", "name of b"],
    ]);
    expect(request).toEqual({
      projectId: "p",
      organizationId: "o",
      case: {
        input: "the case's question",
        output: "answer",
        expected: "expected",
        context: "[retrieval 1] one\n\n[retrieval 2] two",
        guideline: "guideline",
        expectedCapabilities: ["plans"],
        expectedKnowledgeBase: ["prices"],
        expectedDelegations: ["billing"],
        trajectory: linked.trajectory,
      },
      similarity: { jaccard: true, bleu: false, rouge: false, vector: null },
      verdictMode: "cache",
      runNumber: 3,
      group: null,
      deterministic: {
        codeScorers: [{ name: "length", code: "return 1" }],
        trajectoryMatch: { tools: ["search"], mode: "superset", linked: true },
        contextMatch: { expected: "should be found", actual: "one\n\ntwo" },
      },
    });
  });

  test("has a group with its members, and only their judges", () => {
    const { judges, group } = composeJudgeRequest(graded(byGroup));

    expect(judges.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(group).toEqual({
      name: "name of group",
      members: [
        { ...members[0], name: "name of a" },
        { ...members[1], name: "name of b" },
      ],
    });
  });

  test("has no case data, metrics or matches when the question does not exist", () => {
    const request = composeJudgeRequest(graded(datasetPlan, { evaluationCase: null, linked: null }));

    expect(request.case).toMatchObject({ input: "", expected: null, context: null, trajectory: null });
    expect(request.similarity.jaccard).toBe(false);
    expect(request.deterministic).toMatchObject({ trajectoryMatch: null, contextMatch: null });
  });

  const metadata: LinkedTrace = { ...linked, retrieval: { source: "metadata", texts: ["noted"] } };
  test.each([
    ["the result's own", { retrievalContext: ["own", "too"] }, linked, "[chunk 1] own\n\n[chunk 2] too", "own\n\ntoo"],
    ["a text of its own", { retrievalContext: "own" }, linked, "own", "own"],
    ["the trace's retrieval", {}, linked, "[retrieval 1] one\n\n[retrieval 2] two", "one\n\ntwo"],
    ["the trace's metadata, which no span retrieved", {}, metadata, "[chunk 1] noted", null],
    ["the pinned one, which nobody retrieved", {}, null, "[chunk 1] pinned", null],
    ["the pinned one beside a blank one", { retrievalContext: " " }, null, "[chunk 1] pinned", null],
  ])("has as context %s", (_what, sent, trace, context, actual) => {
    const request = composeJudgeRequest(graded(datasetPlan, { submitted: submit(sent), linked: trace }));

    expect(request.case.context).toBe(context);
    expect(request.deterministic?.contextMatch?.actual).toBe(actual);
    expect(request.deterministic?.trajectoryMatch?.linked).toBe(trace !== null);
  });
});

const verdict = (judgeId: string, rating: number | null, more = {}): JudgeReply["verdicts"][number] => ({
  judgeId,
  status: rating === null ? "skipped" : "scored",
  rating,
  justification: `${judgeId} says so.`,
  reason: rating === null ? "provider_error" : null,
  model: "m",
  durationMs: 1,
  source: rating === null ? null : "live",
  verdictId: null,
  ...more,
});
const reply = (verdicts: JudgeReply["verdicts"], more: Partial<JudgeReply> = {}): JudgeReply => ({
  verdicts,
  similarity: {},
  group: null,
  deterministic: [],
  ...more,
});
const read = (plan: GradingPlan, answer: JudgeReply) => readReply(composeJudgeRequest(graded(plan)), answer);
const rowOf = (plan: GradingPlan, judgement: Judgement) =>
  composeResult("id", submit(), judgement, { plan, evaluationCase, batchId: "b" }).row;

describe("the judge's reply", () => {
  test("gives the first judge's rating, and a row for each of the others", () => {
    const judgement = read(
      withTwoMore,
      reply([verdict("primary", 8, { source: "cache" }), verdict("a", 2.5), verdict("b", null)]),
    );

    expect(rowOf(withTwoMore, judgement)).toMatchObject({
      status: "scored",
      rating: 8,
      justification: "primary says so.",
      verdictSource: "cache",
      judgeScorerResults: [
        { scorerId: "a", name: "name of a", rating: 2.5, justification: "a says so.", status: "scored" },
        { scorerId: "b", name: "name of b", rating: null, justification: "b says so.", status: "skipped" },
      ],
    });
  });

  test("a primary without a rating does not affect the others", () => {
    const judgement = read(withTwoMore, reply([verdict("primary", null), verdict("a", 2), verdict("b", 3)]));

    expect(judgement).toMatchObject({ status: "skipped", rating: null, skipReason: "provider_error" });
    expect(rowOf(withTwoMore, judgement)).toMatchObject({
      verdictSource: null,
      judgeScorerResults: [{ rating: 2 }, { rating: 3 }],
    });
  });

  test("gives a group's score as the rating, and a row for each of its judges", () => {
    const group = { rating: 6.7, justification: "Weighted.", reason: null, gatedBy: null };
    const judgement = read(byGroup, reply([verdict("a", 8), verdict("b", 4)], { group }));

    expect(rowOf(byGroup, judgement)).toMatchObject({
      status: "scored",
      rating: 6.7,
      justification: "Weighted.",
      judgeScorerResults: [
        { scorerId: "a", rating: 8 },
        { scorerId: "b", rating: 4 },
      ],
    });
  });

  test("a group without a score skips the result, with its reason", () => {
    const group = { rating: null, justification: "a gave nothing.", reason: "gate_unrated" as const, gatedBy: null };
    const judgement = read(byGroup, reply([verdict("a", null), verdict("b", 4)], { group }));

    expect(judgement).toMatchObject({
      status: "skipped",
      skipReason: "gate_unrated",
      justification: "a gave nothing.",
    });
    expect(rowOf(byGroup, judgement).judgeScorerResults).toMatchObject([{ rating: null }, { rating: 4 }]);
  });

  test.each([
    [["live", "cache"], "live"],
    [["replay", "cache"], "cache"],
    [["replay", "replay"], "replay"],
    [["replay", null], "replay"],
  ] as const)("a group's score of verdicts from %j is %s", (sources, verdictSource) => {
    const group = { rating: 5, justification: "Weighted.", reason: null, gatedBy: null };
    const verdicts = sources.map((source, index) => verdict("ab"[index] as string, source && 5, { source }));

    expect(read(byGroup, reply(verdicts, { group })).verdictSource).toBe(verdictSource);
  });

  test("the deterministic scorers have a row each, by the names they were asked under", () => {
    const deterministic = [
      { name: "length", score: 1, reasoning: "Short." },
      { name: "Trajectory match (superset)", score: 0 },
      { name: "Context match (jaccard)", score: null, error: "Nothing was retrieved." },
    ];
    const judgement = read(datasetPlan, reply([verdict("primary", 8)], { deterministic }));

    expect(rowOf(datasetPlan, judgement)).toMatchObject({ codeScorerResults: deterministic, judgeScorerResults: null });
  });

  test("a judge that knows nothing of groups, judges or scorers leaves each of them unanswered", () => {
    const unanswered = "The judge did not answer this.";
    const row = rowOf(withTwoMore, read(withTwoMore, reply([verdict("primary", 8)])));
    expect(row.judgeScorerResults).toMatchObject([{ justification: unanswered }, { justification: unanswered }]);
    expect(row.codeScorerResults?.map(({ error }) => error)).toEqual([unanswered, unanswered, unanswered]);

    expect(read(byGroup, reply([verdict("a", 8)]))).toMatchObject({ status: "skipped", skipReason: "unparseable" });
  });
});

describe("a result that has no judge's answer", () => {
  test("has a row with the reason for each judge and scorer that was asked", () => {
    const row = rowOf(withTwoMore, skipped("no_judge", "No judge is running."));

    expect(row.judgeScorerResults?.map(({ status, justification }) => [status, justification])).toEqual([
      ["skipped", "No judge is running."],
      ["skipped", "No judge is running."],
    ]);
    expect(row.codeScorerResults).toEqual([
      { name: "length", score: null, error: "No judge is running." },
      { name: "Trajectory match (superset)", score: null, error: "No judge is running." },
      { name: "Context match (jaccard)", score: null, error: "No judge is running." },
    ]);
    expect(row.jaccardSimilarity).toBeNull();
  });

  test("has none of them when it was submitted with an error", () => {
    expect(rowOf(withTwoMore, failedCase({}))).toMatchObject({
      rating: 0,
      judgeScorerResults: null,
      codeScorerResults: null,
      verdictSource: null,
    });
  });
});
