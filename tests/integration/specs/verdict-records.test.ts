import {
  agreementPairs,
  createRunReply,
  dataset,
  evaluateTraceReply,
  evaluationSettings,
  judgeScorerReply,
  liveRatingEvents,
  onlineEvaluatorList,
  resultList,
  run,
  scorerGroupReply,
  sessionScores,
  signalList,
  submitResultsReply,
  submitTraceReply,
  traceEvaluations,
  verdictRecord,
} from "@touchstone/contracts";
import { buildDataset, buildResult } from "@touchstone/testkit";
import { expect, test, vi } from "vitest";
import { useJudged } from "../src/use-combined.ts";

const evaluations = "/custom-agent-evaluations";

// Each judge's criteria determine its rating; a judge without one gives no verdict.
const { llm, client } = useJudged(({ prompt }) => {
  const rating = /rate it (\d+)/.exec(prompt)?.[1];
  if (rating === undefined) return { kind: "text", text: "I would rather not say." };
  return { kind: "verdict", rating: Number(rating), justification: `Worth ${rating}.` };
});

const readRecord = (verdictId: string | null | undefined) =>
  client.expect({ status: 200, schema: verdictRecord }, "GET", `/verdicts/${verdictId}`);

async function createJudge(name: string, acceptanceCriteria: string): Promise<string> {
  const created = { status: 201, schema: evaluationSettings };
  const body = { name, acceptanceCriteria };
  return (await client.expect(created, "POST", `${evaluations}/evaluation-settings`, body))._id;
}

/** A run of one result, graded by these scorers; the rows of its results page. */
async function gradeOne(criteria: string, graders: object = {}, verdictMode = "live") {
  const made = { status: 201, schema: dataset };
  const body = buildDataset({ name: criteria, acceptanceCriteria: criteria });
  const datasetId = (await client.expect(made, "POST", `${evaluations}/datasets`, body))._id;
  const created = { status: 201, schema: createRunReply };
  const asked = { datasetId, verdictMode, ...graders };
  const { runId } = await client.expect(created, "POST", `${evaluations}/runs`, asked);
  const batch = { batchId: "batch", results: [buildResult()] };
  await client.expect(
    { status: 200, schema: submitResultsReply },
    "POST",
    `${evaluations}/runs/${runId}/results`,
    batch,
  );
  const listed = { status: 200, schema: resultList };
  const [row] = (await client.expect(listed, "GET", `${evaluations}/runs/${runId}/results`)).results;
  if (row === undefined) throw new Error("the run has no result");
  return { row, datasetId, runId };
}

/** A live scorer's verdict on a trace, once it exists. */
async function evaluationsOf(traceId: string) {
  const path = `/agent-monitoring/traces/${traceId}/evaluations`;
  return vi.waitFor(
    async () => {
      const said = await client.expect({ status: 200, schema: traceEvaluations }, "GET", path);
      expect(said.evaluations).toHaveLength(1);
      return said.evaluations;
    },
    { timeout: 60_000, interval: 100 },
  );
}

test("the verdict of a result opens with the prompt and the reply", async () => {
  const beside = await createJudge("Tone", "rate it 4");
  const { row, datasetId, runId } = await gradeOne("rate it 8", { additionalScorerIds: [beside] });
  const record = await readRecord(row.verdictId);
  expect(record).toMatchObject({
    scorerId: datasetId,
    scorerVersion: null,
    rating: 8,
    justification: "Worth 8.",
    rubric: { acceptanceCriteria: "rate it 8" },
    reply: '{"justification":"Worth 8.","rating":8}',
    tokens: { input: 100, output: 20 },
    source: "live",
  });
  const sent = llm.requests.find(({ prompt }) => prompt.includes("rate it 8"));
  expect([record.instructions, record.prompt]).toEqual([sent?.instructions, sent?.prompt]);
  expect(await readRecord(row.judgeScorerResults?.[0]?.verdictId)).toMatchObject({
    scorerId: beside,
    scorerName: "Tone",
    scorerVersion: 1,
    rating: 4,
  });
  const { results } = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`);
  expect(results[0]?.verdictId).toBe(row.verdictId);

  const again = await gradeOne("rate it 8", {}, "replay");
  expect(again.row).toMatchObject({ rating: 8, verdictSource: "replay", verdictId: row.verdictId });
});

test("a group has no record, and each of its judges has one", async () => {
  const members = [
    { refId: await createJudge("Facts", "rate it 9") },
    { refId: await createJudge("Mute", "say nothing") },
  ];
  const created = { status: 201, schema: scorerGroupReply };
  const body = { name: "Quality", members };
  const { scorerGroup } = await client.expect(created, "POST", "/agent-monitoring/scorer-groups", body);
  const attached = { online: { sampleRate: 1, scope: "trace" } };
  const path = `/agent-monitoring/scorer-groups/${scorerGroup._id}`;
  expect((await client.send("PUT", path, attached)).status).toBe(200);
  const trace = { name: "Grouped", input: "How is the weather?", output: "Fine." };
  const { traceId } = await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", trace);
  const [evaluation] = await evaluationsOf(traceId);
  expect(evaluation).toMatchObject({ kind: "group", rating: 9, verdictId: null });
  expect(evaluation?.judges).toMatchObject([
    { scorerId: members[0]?.refId, name: "Facts", rating: 9 },
    { scorerId: members[1]?.refId, name: "Mute", rating: null },
  ]);
  expect(await Promise.all((evaluation?.judges ?? []).map(({ verdictId }) => readRecord(verdictId)))).toMatchObject([
    { scorerName: "Facts", scorerVersion: 1, rating: 9 },
    { scorerName: "Mute", skipCode: "unparseable" },
  ]);
  // Other judges judge later traces.
  expect((await client.send("PUT", path, { online: null })).status).toBe(200);

  const { row } = await gradeOne("of a group", { scorerGroupId: scorerGroup._id });
  expect(row).toMatchObject({ rating: 9, verdictId: null });
  const records = await Promise.all((row.judgeScorerResults ?? []).map(({ verdictId }) => readRecord(verdictId)));
  expect(records).toMatchObject([
    { scorerName: "Facts", rating: 9, skipCode: null },
    { scorerName: "Mute", rating: null, skipCode: "unparseable", reply: "I would rather not say.", questions: 2 },
  ]);
});

test("an evaluated trace has a record, and so has a skipped evaluation", async () => {
  const trace = { name: "Weather", input: "How is the weather?", output: "Fine." };
  const { traceId } = await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", trace);
  const config = await createJudge("Recorded", "rate it 6");
  const path = `/ingest/traces/${traceId}/evaluate`;
  const graded = { status: 200, schema: evaluateTraceReply };
  const { run_id } = await client.expect(graded, "POST", path, { datasetId: config });
  const { results } = await client.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${run_id}`);
  expect(await readRecord(results[0]?.verdictId)).toMatchObject({
    scorerId: config,
    scorerName: "Recorded",
    rating: 6,
  });

  const { row } = await gradeOne("say nothing");
  expect(row).toMatchObject({ status: "skipped", skipCode: "unparseable" });
  expect(await readRecord(row.verdictId)).toMatchObject({ rating: null, skipCode: "unparseable" });
});

test("a live rating of a trace or a session has a record", async () => {
  const online = { sampleRate: 1, scope: "trace", alertThreshold: 5 };
  const created = { status: 201, schema: judgeScorerReply };
  const body = { name: "Live", judge: { acceptanceCriteria: "rate it 3" }, online };
  const { judgeScorer } = await client.expect(created, "POST", "/agent-monitoring/judge-scorers", body);
  const ending = await createJudge("Ending", "rate it 2");
  const session = { name: "Ending", evaluationSettingsId: ending, scope: "session", idleSeconds: 1, sampleRate: 1 };
  expect((await client.send("POST", "/monitor/online-evaluators", session)).status).toBe(201);
  const trace = { name: "Talk", session_id: "talk", input: "How is the weather?", output: "Fine." };
  const { traceId } = await client.expect({ status: 201, schema: submitTraceReply }, "POST", "/ingest/traces", trace);

  const [evaluation] = await evaluationsOf(traceId);
  expect(await readRecord(evaluation?.verdictId)).toMatchObject({
    scorerId: judgeScorer._id,
    scorerName: "Live",
    scorerVersion: 1,
    rating: 3,
  });
  const { evaluators } = await client.expect(
    { status: 200, schema: onlineEvaluatorList },
    "GET",
    "/monitor/online-evaluators",
  );
  const live = evaluators.find(({ name }) => name === "Live");
  const eventsPath = `/monitor/online-evaluators/${live?._id}/events`;
  const { events } = await client.expect({ status: 200, schema: liveRatingEvents }, "GET", eventsPath);
  expect(events[0]?.verdictId).toBe(evaluation?.verdictId);
  // It is below its threshold.
  const { signals } = await client.expect({ status: 200, schema: signalList }, "GET", "/monitor/signals");
  const raised = signals.find(({ patternKey }) => patternKey === `online-eval:${live?._id}`);
  expect(raised?.occurrences?.[0]?.verdictId).toBe(evaluation?.verdictId);
  await client.send("POST", "/feedback", { traceId, rating: "down" });
  const pairsPath = `/agent-monitoring/calibration/online-eval:${live?._id}/pairs`;
  const { pairs } = await client.expect({ status: 200, schema: agreementPairs }, "GET", pairsPath);
  expect(pairs[0]?.verdictId).toBe(evaluation?.verdictId);

  const score = await vi.waitFor(
    async () => {
      await client.send("POST", "/agent-monitoring/session-sweep/run");
      const path = "/agent-monitoring/sessions/talk/scores";
      const { scores } = await client.expect({ status: 200, schema: sessionScores }, "GET", path);
      expect(scores).toHaveLength(1);
      return scores[0];
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(await readRecord(score?.verdictId)).toMatchObject({ scorerId: ending, scorerName: "Ending", rating: 2 });
});

test("a missing record is 404", async () => {
  for (const id of ["01999999-0000-7000-8000-000000000001", "primary"]) {
    expect(await client.send("GET", `/verdicts/${id}`)).toMatchObject({
      status: 404,
      body: { error: "Verdict record not found, or no longer kept" },
    });
  }
});
