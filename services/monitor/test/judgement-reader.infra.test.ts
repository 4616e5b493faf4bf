import { liveRatingEvents, liveRatings, sessionScores, traceEvaluations } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createSettledRows, hoursAgo } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";
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

test("the events of a live judge are on pages that hold every rating of the window once, worst first", async () => {
  const project = newProject();
  await addJudge(project);
  const ratings = Array.from({ length: 45 }, (_, index) => index % 7);
  for (const [index, rating] of ratings.entries()) {
    const traceId = fakeIngest.addTrace(project.projectId, {});
    await rows.addVerdict(project, traceId, { rating, created_at: hoursAgo(1 + (index % 3)) });
  }
  const old = fakeIngest.addTrace(project.projectId, {});
  await rows.addVerdict(project, old, { rating: 0, created_at: hoursAgo(24 * 8) });

  const first = await readEvents(project, "window=7d");
  expect(first).toMatchObject({ totalCount: 45, hasNextPage: true });
  expect(first.events).toHaveLength(20);
  const second = await readEvents(project, `window=7d&limit=24&cursor=${first.nextCursor}`);
  expect(second.events).toHaveLength(24);
  const last = await readEvents(project, `window=7d&cursor=${second.nextCursor}`);
  expect(last).toMatchObject({ totalCount: 45, hasNextPage: false, nextCursor: null });
  const all = [first, second, last].flatMap(({ events }) => events);
  expect(new Set(all.map(({ id }) => id)).size).toBe(45);
  expect(all.map(({ rating }) => rating)).toEqual(ratings.toSorted((left, right) => left - right));
});

test("the events of one point of the ratings are those that it counts", async () => {
  const project = newProject();
  await addJudge(project);
  for (const hours of [1, 1, 26, 26, 26, 50]) {
    const traceId = fakeIngest.addTrace(project.projectId, {});
    await rows.addVerdict(project, traceId, { rating: 5, created_at: hoursAgo(hours) });
  }
  const { body } = await project.send("GET", "/monitor/online-evaluators/tone/ratings?window=7d");
  const { points } = liveRatings.parse(body);
  for (const [index, { ts, count }] of points.entries()) {
    const end = points[index + 1]?.ts;
    const of = `window=7d&from=${ts}${end === undefined ? "" : `&to=${end}`}`;
    const { totalCount, events } = await readEvents(project, of);
    expect([totalCount, events.length]).toEqual([count, count]);
  }
});

test.each([
  ["cursor=1", "Unknown cursor"],
  ["limit=0", "limit must be a positive integer"],
  ["from=yesterday", "from must be an ISO 8601 date"],
  ["to=2026-01-01&to=2026-01-02", "to must be given once"],
])("the events of a live judge refuse %s", async (of, sentence) => {
  const project = newProject();
  await addJudge(project);
  const { status, body } = await project.send("GET", `/monitor/online-evaluators/tone/events?${of}`);
  expect([status, body]).toEqual([400, { error: sentence }]);
});

test("a time before or after every rating is a limit like any other", async () => {
  const project = newProject();
  await addJudge(project);
  await rows.addVerdict(project, fakeIngest.addTrace(project.projectId, {}), { rating: 5 });
  expect(await readEvents(project, "from=-200000-01-01")).toMatchObject({ totalCount: 1 });
  expect(await readEvents(project, "to=-200000-01-01")).toMatchObject({ totalCount: 0, events: [] });
});

async function addJudge({ projectId }: ProjectClient): Promise<void> {
  const document = JSON.stringify({ judges: [{ profileId: "tone", version: 1, alertThreshold: 5 }], groups: [] });
  await rows.insert("live_scorers", { project_id: projectId, revision: 1, document });
}

async function readEvents(project: ProjectClient, of: string) {
  const { body } = await project.send("GET", `/monitor/online-evaluators/tone/events?${of}`);
  return liveRatingEvents.parse(body);
}
