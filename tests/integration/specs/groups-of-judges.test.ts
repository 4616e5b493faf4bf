import {
  createRunReply,
  customEvaluatorReply,
  dataset,
  evaluationSettings,
  judgeScorerList,
  patternReply,
  run,
  scorerGroupReply,
  submitResultsReply,
} from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { beforeAll, expect, test } from "vitest";
import { useJudged } from "../src/use-combined.ts";

let datasetId: string;

const evaluations = "/custom-agent-evaluations";

// Each judge's criteria determine its rating; a judge without one rates 5.
const { llm, client } = useJudged(({ prompt }) => {
  const rating = Number(/rate it (\d+(?:\.\d+)?)/.exec(prompt)?.[1] ?? 5);
  return { kind: "verdict", rating, justification: `Worth ${rating}.` };
});

beforeAll(async () => {
  const body = buildDataset({
    name: "Orders",
    acceptanceCriteria: "rate it 7",
    jaccardSimilarity: { enabled: true },
  });
  datasetId = (await client.expect({ status: 201, schema: dataset }, "POST", `${evaluations}/datasets`, body))._id;
});

async function createJudge(name: string, rating: number): Promise<string> {
  const body = { name, acceptanceCriteria: `rate it ${rating}` };
  const expected = { status: 201, schema: evaluationSettings };
  return (await client.expect(expected, "POST", `${evaluations}/evaluation-settings`, body))._id;
}

async function createGroup(members: object[]): Promise<string> {
  const expected = { status: 201, schema: scorerGroupReply };
  const body = { name: "Quality", members };
  return (await client.expect(expected, "POST", "/agent-monitoring/scorer-groups", body)).scorerGroup._id;
}

async function gradeOne(graders: object) {
  const created = { status: 201, schema: createRunReply };
  const { runId } = await client.expect(created, "POST", `${evaluations}/runs`, { datasetId, ...graders });
  const batch = { batchId: "batch", results: [buildResult()] };
  const submitted = { status: 200, schema: submitResultsReply };
  const { scoredResults } = await client.expect(submitted, "POST", `${evaluations}/runs/${runId}/results`, batch);
  const graded = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`);
  return { scored: scoredResults[0], graded };
}

test("a group's score is the rating, its judges have a row each, and the breakdown lists them all", async () => {
  const ids = [await createJudge("Clarity", 8), await createJudge("Facts", 2), await createJudge("Tone", 10)];
  const scorerGroupId = await createGroup(ids.map((refId) => ({ refId })));

  const { scored, graded } = await gradeOne({ scorerGroupId });

  expect(scored).toMatchObject({ status: "scored", rating: 6.7, jaccardSimilarity: 1 });
  expect(scored?.judgeScorerResults).toEqual([
    { scorerId: ids[0], name: "Clarity", rating: 8, justification: "Worth 8." },
    { scorerId: ids[1], name: "Facts", rating: 2, justification: "Worth 2." },
    { scorerId: ids[2], name: "Tone", rating: 10, justification: "Worth 10." },
  ]);
  expect(graded).toMatchObject({
    scorerGroupId,
    averageRating: 6.7,
    scorerBreakdown: [
      { scorerId: scorerGroupId, name: "Quality (group)", primary: true, averageRating: 6.7, scored: 1 },
      { scorerId: ids[0], name: "Clarity", primary: false, averageRating: 8, scored: 1 },
      { scorerId: ids[1], name: "Facts", primary: false, averageRating: 2, scored: 1 },
      { scorerId: ids[2], name: "Tone", primary: false, averageRating: 10, scored: 1 },
    ],
  });
});

test("a failed must-pass judge sets the group to 0, even without a weight", async () => {
  const [good, bad] = [await createJudge("Tone", 10), await createJudge("Safety", 4.9)];
  const scorerGroupId = await createGroup([{ refId: good }, { refId: bad, weight: 0, gate: true }]);

  const { scored } = await gradeOne({ scorerGroupId });

  expect(scored).toMatchObject({
    status: "scored",
    rating: 0,
    justification: expect.stringContaining('Gated to 0 by "Safety"'),
  });
});

test("patterns and custom scorers of a group have separate rows, and count with their settings when the run was created", async () => {
  const pattern = { name: "Apology", includeTerms: ["sorry"] };
  const created = { status: 201, schema: patternReply };
  const apology = (await client.expect(created, "POST", "/monitor/patterns", pattern)).pattern._id;
  const script = {
    name: "As expected",
    kind: "code",
    script: "function handler(input, output, expected) { return output === expected ? 1 : 0.25; }",
  };
  const program = { status: 201, schema: customEvaluatorReply };
  const { _id: asExpected } = (await client.expect(program, "POST", "/agent-monitoring/custom-evaluators", script))
    .evaluator;
  const tone = await createJudge("Tone", 8);
  const scorerGroupId = await createGroup([
    { refId: tone },
    { kind: "pattern", refId: apology, gate: true },
    { kind: "pattern", refId: "secrets-in-response", gate: true },
    { kind: "custom", refId: asExpected, weight: 2 },
  ]);
  const started = { status: 201, schema: createRunReply };
  const { runId } = await client.expect(started, "POST", `${evaluations}/runs`, { datasetId, scorerGroupId });
  await client.send("PUT", `/monitor/patterns/${apology}`, { includeTerms: ["Tuesday"] });
  await client.send("DELETE", `/agent-monitoring/custom-evaluators/${asExpected}`);
  const texts = ["It arrives on Tuesday.", "I am sorry.", "The key is AKIAIOSFODNN7EXAMPLE."];
  const results = texts.map((text) => buildResult({ output: { text } }));

  const path = `${evaluations}/runs/${runId}/results`;
  const submitted = { status: 200, schema: submitResultsReply };
  const { scoredResults } = await client.expect(submitted, "POST", path, { batchId: "batch", results });
  const again = await client.expect(submitted, "POST", path, { batchId: "again", results });

  const rows = (apologyScore: number, secrets: number, code: number) => [
    { name: "Apology", score: apologyScore },
    { name: expect.any(String), score: secrets },
    { name: "As expected", score: code },
  ];
  const expected = [
    { rating: 9.6, codeScorerResults: rows(1, 1, 1) },
    { rating: 0, justification: 'Gated to 0 by "Apology" (must-pass member failed).' },
    { rating: 0, justification: expect.stringContaining("Gated to 0 by") },
  ];
  expect(scoredResults).toMatchObject(expected);
  expect(scoredResults.map((scored) => scored.codeScorerResults)).toEqual([
    rows(1, 1, 1),
    rows(0, 1, 0.25),
    rows(1, 0, 0.25),
  ]);
  expect(again.scoredResults).toMatchObject(expected);
  const graded = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`);
  expect(graded.scorerBreakdown).toMatchObject([
    { scorerId: scorerGroupId, name: "Quality (group)", primary: true, scored: 3 },
    { scorerId: tone, primary: false, averageRating: 8 },
  ]);
});

test("two additional judges rate beside the primary, one of them from the project's defaults", async () => {
  const { judgeScorers } = await client.expect(
    { status: 200, schema: judgeScorerList },
    "GET",
    "/agent-monitoring/judge-scorers",
  );
  const faithfulness = judgeScorers.find(({ name, seeded }) => seeded && name === "RAG: Faithfulness");
  const tone = await createJudge("Tone", 9);
  const asked = llm.requests.length;

  const { scored, graded } = await gradeOne({ additionalScorerIds: [faithfulness?._id, tone] });

  expect(scored).toMatchObject({
    rating: 7,
    justification: "Worth 7.",
    judgeScorerResults: [
      { scorerId: faithfulness?._id, name: "RAG: Faithfulness", rating: 5 },
      { scorerId: tone, name: "Tone", rating: 9 },
    ],
  });
  expect(graded.scorerBreakdown).toMatchObject([
    { scorerId: datasetId, name: "Orders", primary: true, averageRating: 7 },
    { name: "RAG: Faithfulness", primary: false, averageRating: 5 },
    { name: "Tone", primary: false, averageRating: 9 },
  ]);
  const prompts = llm.requests.slice(asked).map(({ prompt }) => prompt);
  expect(prompts).toHaveLength(3);
  expect(prompts.filter((prompt) => prompt.includes("whether what the output states is supported"))).toHaveLength(1);
});
