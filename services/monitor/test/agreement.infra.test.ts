import { randomUUID } from "node:crypto";
import { calibration } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createSettledRows, hoursAgo } from "./settled-rows.ts";
import { fakeIngest, newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

const rows = createSettledRows({ query });

test("agreement pairs each version's verdicts with the newest vote, or with the score a person put in its place", async () => {
  const project = newProject();
  const judge = async (rating: number, vote: "up" | "down" | null, verdict: object = {}): Promise<string> => {
    const traceId = randomUUID();
    await rows.addVerdict(project, traceId, { rating, ...verdict });
    if (vote !== null) await rows.addVote(project, traceId, vote);
    return traceId;
  };
  // Version 1: 4 both fail, 1 only the scorer, 2 only people, 4 both pass; the newest vote counts.
  for (const [rating, vote, times] of [
    [2, "down", 4],
    [2, "up", 1],
    [8, "down", 2],
    [5, "up", 4],
  ] as const) {
    for (let time = 0; time < times; time += 1) {
      await rows.addVote(project, await judge(rating, vote), vote === "up" ? "down" : "up", hoursAgo(9));
    }
  }
  // Voted up, but a person who looked at its score put one below the threshold in its place.
  const signalId = randomUUID();
  const occurrenceId = randomUUID();
  const corrected = await judge(2, "up");
  const of = { project_id: project.projectId, signal_id: signalId };
  const seen = { first_seen_at: new Date(), last_seen_at: new Date(), created_at: new Date(), updated_at: new Date() };
  await rows.insert("signals", {
    project_id: project.projectId,
    id: signalId,
    pattern_key: "online-eval:tone",
    agent_id: randomUUID(),
    type: "online_evaluator_low_score",
    severity: "low",
    polarity: "failure",
    summary: "low",
    ...seen,
  });
  await rows.insert("signal_occurrences", { ...of, id: occurrenceId, trace_id: corrected, seen_at: new Date() });
  await project.send("POST", `/agent-monitoring/signals/${signalId}/feedback`, {
    metric: "tone",
    rationale: "It is rude.",
    occurrenceId,
    originalScore: 2,
    correctedScore: 3,
  });
  // Another version, without a threshold; one without votes; one with votes that are too old.
  await judge(2, "down", { scorer_version: 2, threshold: null });
  await judge(2, null);
  await rows.addVote(project, await judge(2, null), "down", hoursAgo(100 * 24));

  const { minPairs, scorers } = calibration.parse((await project.send("GET", "/agent-monitoring/calibration")).body);
  expect(minPairs).toBe(10);
  expect(scorers).toHaveLength(2);
  expect(scorers[0]).toMatchObject({
    scorerKey: "online-eval:tone",
    scorerName: "Tone",
    scorerVersion: 1,
    pairs: 12,
    corrected: 1,
    withoutThreshold: 0,
    table: { bothFail: 5, onlyScorerFails: 1, onlyPersonFails: 2, bothPass: 4 },
    baseRate: 7 / 12,
    failRate: 0.5,
    rawAgreement: 0.75,
    // By chance 0.5 x 7/12 + 0.5 x 5/12 = 0.5.
    kappa: 0.5,
    interval: { level: 0.95 },
  });
  expect(scorers[1]).toMatchObject({
    scorerVersion: 2,
    pairs: 0,
    withoutThreshold: 1,
    rawAgreement: null,
    kappa: null,
    interval: null,
  });
  expect((await newProject().send("GET", "/agent-monitoring/calibration")).body.scorers).toEqual([]);
});

test("agreement of one live scorer is read apart", async () => {
  const project = newProject();
  const document = JSON.stringify({ judges: [{ profileId: "tone" }, { profileId: "unheard" }], groups: [] });
  await rows.insert("live_scorers", { project_id: project.projectId, revision: 1, document });
  const traceId = randomUUID();
  await rows.addVerdict(project, traceId, { rating: 2 });
  await rows.addVerdict(project, traceId, { rating: 9, scorer_key: "online-eval:other" });
  await rows.addVote(project, traceId, "down");
  const read = (id: string) => project.send("GET", `/monitor/online-evaluators/${id}/calibration`);

  const { scorers } = calibration.parse((await read("tone")).body);

  expect(scorers).toMatchObject([{ scorerKey: "online-eval:tone", pairs: 1, kappa: null }]);
  expect(calibration.parse((await read("unheard")).body).scorers).toEqual([]);
});

test("a person's score of a trace is a label like a vote, if it says good or bad; the newest one counts", async () => {
  const project = newProject();
  const traceIds = Array.from({ length: 6 }, () => randomUUID());
  const [yes = "", no = "", voted = "", outvoted = "", unclear = ""] = traceIds;
  for (const traceId of traceIds) await rows.addVerdict(project, traceId, { rating: traceId === no ? 9 : 2 });
  await rows.addVote(project, voted, "down", hoursAgo(5));
  await rows.addVote(project, outvoted, "down", hoursAgo(1));
  const said = (traceId: string, value: string | number | boolean) => ({
    ...{ traceIds: [randomUUID(), traceId], value, comment: `said ${value}` },
    timestamp: hoursAgo(3).toISOString(),
  });
  fakeIngest.humanScores.set(project.projectId, [
    [said(yes, true), said(no, 0), said(unclear, 7)],
    [said(voted, "Good"), said(outvoted, "pass")],
  ]);

  const { scorers } = calibration.parse((await project.send("GET", "/agent-monitoring/calibration")).body);
  expect(scorers).toMatchObject([
    { pairs: 4, table: { bothFail: 1, onlyScorerFails: 2, onlyPersonFails: 1, bothPass: 0 } },
  ]);
  const path = "/agent-monitoring/calibration/online-eval:tone";
  const { pairs } = (await project.send("GET", `${path}/pairs`)).body as {
    pairs: { traceId: string; vote: string; comment: string | null }[];
  };
  expect(pairs.map(({ traceId, vote, comment }) => [traceId, vote, comment])).toEqual(
    expect.arrayContaining([
      [yes, "up", "said true"],
      [no, "down", "said 0"],
      [voted, "up", "said Good"],
      [outvoted, "down", null],
    ]),
  );
  // The last two have no label.
  expect((await project.send("GET", `${path}/sample`)).body.unlabelled).toBe(2);
});
