import { liveRatingEvents, sessionScores, traceEvaluations } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createSettledRows } from "./settled-rows.ts";
import { fakeIngest, newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

const rows = createSettledRows({ query });

test("a rating says by which version, model and threshold it came about, whatever is in force now", async () => {
  const project = newProject();
  const document = JSON.stringify({ judges: [{ profileId: "tone", version: 3, alertThreshold: 7 }], groups: [] });
  await rows.insert("live_scorers", { project_id: project.projectId, revision: 1, document });
  const traceId = fakeIngest.addTrace(project.projectId, {});
  await rows.addVerdict(project, traceId, { rating: 2, scorer_version: 2, threshold: 4, model: "gpt" });
  const recorded = { threshold: 4, scorerVersion: 2, model: "gpt" };

  const evaluations = await project.send("GET", `/agent-monitoring/traces/${traceId}/evaluations`);
  expect(traceEvaluations.parse(evaluations.body).evaluations).toMatchObject([recorded]);
  const events = await project.send("GET", "/monitor/online-evaluators/tone/events?window=24h");
  expect(liveRatingEvents.parse(events.body).events).toMatchObject([recorded]);
  const foreign = await newProject().send("GET", `/agent-monitoring/traces/${traceId}/evaluations`);
  expect(foreign.body).toEqual({ evaluations: [] });
});

test("a session's score names its scorer and the threshold it had", async () => {
  const project = newProject();
  await rows.insert("session_scores", {
    project_id: project.projectId,
    id: "01a208c1-d989-7022-a48c-2a63bec45d68",
    session_id: "talk",
    scorer_key: "online-eval:tone",
    round: 1,
    scorer_name: "Tone",
    rating: 3,
    threshold: 5,
    span_count: 4,
    model: "gpt",
  });
  const { body } = await project.send("GET", "/agent-monitoring/sessions/talk/scores");
  expect(sessionScores.parse(body).scores).toMatchObject([{ scorerName: "Tone", threshold: 5, judgeModel: "gpt" }]);
});
