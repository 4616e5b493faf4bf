import { randomUUID } from "node:crypto";
import { agreementPairs, agreementSample } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createSettledRows, hoursAgo } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";
import { fakeIngest, newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

const rows = createSettledRows({ query });
const path = "/agent-monitoring/calibration/online-eval%3Atone";

async function judge(
  project: ProjectClient,
  rating: number,
  vote: "up" | "down" | null,
  { at = hoursAgo(1), ...verdict }: { at?: Date } & Record<string, unknown> = {},
): Promise<string> {
  const traceId = fakeIngest.addTrace(project.projectId, { input: "Where is it?", output: "On its way." });
  await rows.addVerdict(project, traceId, { rating, ...verdict });
  if (vote !== null) await rows.addVote(project, traceId, vote, at);
  return traceId;
}

async function listPairs(project: ProjectClient, parameters = "") {
  return agreementPairs.parse((await project.send("GET", `${path}/pairs${parameters}`)).body);
}

async function draw(project: ProjectClient, parameters = "") {
  return agreementSample.parse((await project.send("GET", `${path}/sample${parameters}`)).body);
}

test("each cell of the table opens its traces, last labelled first", async () => {
  const project = newProject();
  const missed = await judge(project, 8, "down", { justification: "It is polite.", at: hoursAgo(3) });
  const alarm = await judge(project, 2, "up", { at: hoursAgo(2) });
  const exact = await judge(project, 5, "up", { at: hoursAgo(1) });
  // No pairs: another scorer's, without a threshold, labelled too long ago, not labelled.
  await judge(project, 2, "up", { scorer_key: "online-eval:other" });
  await judge(project, 2, "up", { threshold: null });
  await judge(project, 2, "up", { at: hoursAgo(100 * 24) });
  await judge(project, 2, null);

  const { pairs, nextCursor } = await listPairs(project);
  expect(nextCursor).toBeNull();
  expect(pairs.map(({ traceId, cell }) => [traceId, cell])).toEqual([
    [exact, "bothPass"],
    [alarm, "onlyScorerFails"],
    [missed, "onlyPersonFails"],
  ]);
  expect(pairs[2]).toMatchObject({
    rating: 8,
    threshold: 5,
    scorerVersion: 1,
    justification: "It is polite.",
    vote: "down",
    correctedScore: null,
    input: "Where is it?",
    output: "On its way.",
  });
  expect((await listPairs(project, "?cell=onlyPersonFails")).pairs.map(({ traceId }) => traceId)).toEqual([missed]);
  expect((await listPairs(project, "?cell=bothFail")).pairs).toEqual([]);
  expect((await listPairs(project, "?version=2")).pairs).toEqual([]);
});

test("a corrected score is the person's word on its own scorer's verdict, whatever the vote says", async () => {
  const project = newProject();
  const traceId = await judge(project, 2, "up");
  const signalId = randomUUID();
  const occurrenceId = randomUUID();
  const now = new Date();
  await rows.insert("signals", {
    project_id: project.projectId,
    id: signalId,
    pattern_key: "online-eval:tone",
    agent_id: randomUUID(),
    type: "online_evaluator_low_score",
    severity: "low",
    polarity: "failure",
    summary: "low",
    ...{ first_seen_at: now, last_seen_at: now, created_at: now, updated_at: now },
  });
  const occurrence = { project_id: project.projectId, signal_id: signalId, id: occurrenceId, trace_id: traceId };
  await rows.insert("signal_occurrences", { ...occurrence, seen_at: now });
  await project.send("POST", `/agent-monitoring/signals/${signalId}/feedback`, {
    ...{ metric: "tone", rationale: "It is rude.", occurrenceId, originalScore: 2, correctedScore: 3 },
  });
  const { pairs } = await listPairs(project);
  expect(pairs).toMatchObject([{ traceId, cell: "bothFail", correctedScore: 3, vote: "up", comment: "It is rude." }]);
  expect((await draw(project)).traces).toEqual([]);
});

test("pages go on where the last one ended, and those of another project stay out of sight", async () => {
  const project = newProject();
  // Two at the same moment: the trace's id decides.
  const at = hoursAgo(2);
  for (const when of [at, at, hoursAgo(1)]) await judge(project, 2, "down", { at: when });
  const first = await listPairs(project, "?limit=2");
  const second = await listPairs(project, `?limit=2&cursor=${first.nextCursor}`);
  expect(second.nextCursor).toBeNull();
  const seen = [...first.pairs, ...second.pairs].map(({ traceId }) => traceId);
  expect(new Set(seen).size).toBe(3);
  expect(seen).toEqual((await listPairs(project)).pairs.map(({ traceId }) => traceId));
  expect((await listPairs(newProject())).pairs).toEqual([]);
});

test("a trace that is gone keeps its pair, without texts", async () => {
  const project = newProject();
  const traceId = randomUUID();
  await rows.addVerdict(project, traceId, { rating: 2 });
  await rows.addVote(project, traceId, "down");
  expect((await listPairs(project)).pairs).toMatchObject([{ traceId, input: null, output: null }]);
});

test("a sample is drawn at random from existing unlabelled traces that were rated against a threshold", async () => {
  const project = newProject();
  const unlabelled = new Set<string>();
  for (let count = 0; count < 6; count += 1) unlabelled.add(await judge(project, count, null));
  await judge(project, 2, "up");
  await judge(project, 2, null, { threshold: null });
  await judge(project, 2, null, { scorer_key: "online-eval:other" });
  const newVersion = await judge(project, 2, null, { scorer_version: 2 });
  // Labelled so long ago that it counts no more.
  const old = await judge(project, 2, "up", { at: hoursAgo(100 * 24) });

  const all = await draw(project);
  expect(all.unlabelled).toBe(8);
  expect(new Set(all.traces.map(({ traceId }) => traceId))).toEqual(new Set([...unlabelled, newVersion, old]));
  expect((await draw(project, "?version=2")).traces).toEqual([{ traceId: newVersion }]);
  expect(await draw(project, "?n=3")).toMatchObject({ unlabelled: 8, traces: { length: 3 } });

  const gone = newProject();
  await rows.addVerdict(gone, randomUUID(), { rating: 2 });
  expect(await draw(gone)).toEqual({ traces: [], unlabelled: 1 });
  expect(await draw(newProject())).toEqual({ traces: [], unlabelled: 0 });
});

test("a sample is complete even if most ratings are of traces that are gone", async () => {
  const project = newProject();
  await query(
    `insert into monitor.verdicts
       (project_id, trace_id, id, scorer_key, scorer_name, scorer_version, threshold, rating, created_at)
     select $1, gen_random_uuid(), gen_random_uuid(), 'online-eval:tone', 'Tone', 1, 5, 2, now()
     from generate_series(1, 200)`,
    [project.projectId],
  );
  const stored = [await judge(project, 2, null), await judge(project, 5, null), await judge(project, 8, null)];
  const { traces, unlabelled } = await draw(project, "?n=3");
  expect(new Set(traces.map(({ traceId }) => traceId))).toEqual(new Set(stored));
  expect(unlabelled).toBe(203);
});

test("what cannot be read is refused, a scorer that is not there has nothing", async () => {
  const project = newProject();
  const refusals = ["pairs?limit=0", "pairs?cell=both", "pairs?cursor=x", "pairs?version=a", "sample?n=many"];
  for (const wrong of refusals) expect((await project.send("GET", `${path}/${wrong}`)).status, wrong).toBe(400);
  const unknown = "/agent-monitoring/calibration/%00/pairs";
  expect(await project.send("GET", unknown)).toMatchObject({ status: 200, body: { pairs: [], nextCursor: null } });
});
