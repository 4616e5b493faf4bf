import { randomUUID } from "node:crypto";
import { kpis, performance, topFailing, trend } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { hoursAgo, useSettledRows } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";

const { fakeIngest, rows, newProject } = useSettledRows();

describe("the KPIs", () => {
  const read = async (project: ProjectClient, query = "") =>
    kpis.parse((await project.send("GET", `/monitor/kpis${query}`)).body);

  test("of a project without traffic are nulls and zeros, and an unknown window is 7d", async () => {
    const nothing = { healthRate: null, failureRate: null, downvoteRate: null, toolFailureRate: null };
    expect(await read(newProject(), "?window=1y")).toMatchObject({
      window: "7d",
      since: expect.any(String),
      totalRuns: 0,
      ...nothing,
      p95LatencyMs: null,
      deltas: nothing,
      breakdown: {
        totalRuns: 0,
        healthyRuns: 0,
        failingRuns: 0,
        operationalFailingRuns: 0,
        scorerFailingRuns: 0,
        healthRate: null,
        toolRuns: 0,
        toolFailingRuns: 0,
        votes: 0,
        votesDown: 0,
      },
    });
  });

  test("name the start of the window by the server's clock", async () => {
    const dayMs = 24 * 3_600_000;
    const earliest = Date.now() - dayMs;
    const { since } = await read(newProject(), "?window=24h");
    expect(Date.parse(since)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now() - dayMs);
  });

  test("count a run that fails by itself, by a scorer or both once, and compare with the window before", async () => {
    const project = newProject();
    // By itself, by a scorer, both, exactly at the threshold, one without a threshold, healthy twice.
    await rows.addRun(project, { operational_class: "agent-tool-failure:pay", tool_calls: 2, latency_ms: 900 });
    await rows.addVerdict(project, await rows.addRun(project, { tool_calls: 1, latency_ms: 100 }), { rating: 4.9 });
    const both = await rows.addRun(project, {
      operational_class: "agent-trace-error",
      has_error: true,
      latency_ms: 100,
    });
    await rows.addVerdict(project, both, { rating: 1 });
    await rows.addVerdict(project, both, { rating: 1, scorer_key: "scorer-group:all" });
    await rows.addVerdict(project, await rows.addRun(project, { tool_calls: 3, latency_ms: 100 }), { rating: 5 });
    await rows.addVerdict(project, await rows.addRun(project, { tool_calls: 1 }), { rating: 0, threshold: null });
    const liked = await rows.addRun(project);
    await rows.addRun(project);
    // Not watched.
    await rows.addRun(project, { operational_class: null, has_error: true, latency_ms: 9_000 });
    // The window before: one of two healthy, and no tool called.
    await rows.addRun(project, { created_at: hoursAgo(30) });
    await rows.addRun(project, { created_at: hoursAgo(30), operational_class: "empty-agent-response" });
    // Before both.
    await rows.addRun(project, { created_at: hoursAgo(50), operational_class: "empty-agent-response" });
    for (const rating of ["up", "up", "up", "down"] as const) await rows.addVote(project, liked, rating);
    await rows.addVote(project, liked, "down", hoursAgo(30));

    expect(await read(project, "?window=24h")).toMatchObject({
      window: "24h",
      since: expect.any(String),
      totalRuns: 7,
      healthRate: 4 / 7,
      failureRate: 3 / 7,
      downvoteRate: 0.25,
      toolFailureRate: 0.25,
      p95LatencyMs: 900,
      deltas: {
        healthRate: 4 / 7 - 0.5,
        failureRate: 3 / 7 - 0.5,
        downvoteRate: 0.25 - 1,
        toolFailureRate: null,
      },
      breakdown: {
        totalRuns: 7,
        healthyRuns: 4,
        failingRuns: 3,
        operationalFailingRuns: 2,
        scorerFailingRuns: 2,
        healthRate: 4 / 7,
        toolRuns: 4,
        toolFailingRuns: 1,
        votes: 4,
        votesDown: 1,
      },
    });
    const { since } = await read(project, "?window=24h");
    expect((await project.send("GET", `/feedback?rating=down&from=${since}`)).body.totalCount).toBe(1);
    expect(await read(project)).toMatchObject({ window: "7d", totalRuns: 10, deltas: { healthRate: null } });
    expect((await read(newProject(), "?window=24h")).totalRuns).toBe(0);
  });
});

test("trend and performance have a point for each hour or day, also where nothing ran", async () => {
  const project = newProject();
  const at = hoursAgo(3);
  await rows.addRun(project, { created_at: at, latency_ms: 10 });
  await rows.addRun(project, {
    created_at: at,
    latency_ms: 30,
    operational_class: "agent-trace-error",
    has_error: true,
  });
  const voted = hoursAgo(5);
  await rows.addVote(project, randomUUID(), "down", voted);
  const hourOf = (date: Date) => `${date.toISOString().slice(0, 13)}:00:00.000Z`;

  const { points } = trend.parse((await project.send("GET", "/agent-monitoring/trend?window=24h")).body);
  expect(points).toHaveLength(24);
  const rates = { healthRate: null, failureRate: null, downvoteRate: null, toolFailureRate: null };
  const counts = { totalRuns: 0, healthyRuns: 0, failingRuns: 0, operationalFailingRuns: 0, scorerFailingRuns: 0 };
  const ran = { totalRuns: 2, healthyRuns: 1, failingRuns: 1, operationalFailingRuns: 1, healthRate: 0.5 };
  for (const { label, ts, ...shown } of points) {
    expect(label).toBe(ts.slice(11, 16));
    const expected = { ...counts, ...rates, votes: 0 };
    if (ts === hourOf(at)) expect(shown).toEqual({ ...expected, ...ran, failureRate: 0.5 });
    else if (ts === hourOf(voted)) expect(shown).toEqual({ ...expected, votes: 1, downvoteRate: 1 });
    else expect(shown).toEqual(expected);
  }

  const measured = performance.parse((await project.send("GET", "/agent-monitoring/performance?window=24h")).body);
  expect(measured.points).toHaveLength(24);
  expect(measured.points.filter(({ totalRuns }) => totalRuns > 0)).toEqual([
    {
      label: hourOf(at).slice(11, 16),
      ts: hourOf(at),
      totalRuns: 2,
      errors: 1,
      errorRate: 0.5,
      latencyP50: 10,
      latencyP95: 30,
    },
  ]);
  expect(measured.points.filter(({ errorRate }) => errorRate === null)).toHaveLength(23);

  for (const [query, days] of [
    ["", 7],
    ["?window=30d", 30],
  ] as const) {
    const daily = trend.parse((await project.send("GET", `/agent-monitoring/trend${query}`)).body);
    expect(daily.points).toHaveLength(days);
    expect(daily.points.reduce((sum, { totalRuns }) => sum + totalRuns, 0)).toBe(2);
    expect(daily.points.at(-1)?.label).toBe(daily.points.at(-1)?.ts.slice(0, 10));
  }
});

test("the last hour is shown by five minutes", async () => {
  const project = newProject();
  const at = new Date(Date.now() - 7 * 60_000);
  await rows.addRun(project, { created_at: at, latency_ms: 10 });
  await rows.addRun(project, { created_at: hoursAgo(1.2) });
  const ts = new Date(Math.floor(at.getTime() / 300_000) * 300_000).toISOString();

  const health = trend.parse((await project.send("GET", "/agent-monitoring/trend?window=1h")).body);
  const measured = performance.parse((await project.send("GET", "/agent-monitoring/performance?window=1h")).body);

  for (const { window, points } of [health, measured]) {
    expect([window, points.length]).toEqual(["1h", 12]);
    expect(points.filter(({ totalRuns }) => totalRuns > 0)).toMatchObject([
      { ts, label: ts.slice(11, 16), totalRuns: 1 },
    ]);
  }
  const counted = kpis.parse((await project.send("GET", "/monitor/kpis?window=1h")).body);
  expect(counted).toMatchObject({ window: "1h", totalRuns: 1, deltas: { healthRate: 0 } });
});

test("the agents with the most failures come first, with their most frequent findings", async () => {
  const project = newProject();
  const agentId = fakeIngest.addAgent(project.projectId, "shop");
  await rows.addRun(project, { agent_id: agentId, operational_class: "agent-trace-error" });
  await rows.addVerdict(project, await rows.addRun(project, { agent_id: agentId }), { rating: 2 });
  await rows.addRun(project, { agent_id: agentId });
  await rows.addRun(project, { operational_class: "empty-agent-response" });
  await rows.addRun(project, { agent_id: fakeIngest.addAgent(project.projectId, "healthy") });
  const event = { project_id: project.projectId, severity: "low", kind: "pattern", created_at: hoursAgo(1) };
  for (const [pattern_key, polarity] of [
    ["custom:a", "failure"],
    ["custom:b", "failure"],
    ["custom:b", "failure"],
    ["custom:thanks", "proper"],
  ]) {
    await rows.insert("events", { ...event, id: randomUUID(), trace_id: randomUUID(), pattern_key, polarity });
  }

  const found = topFailing.parse((await project.send("GET", "/agent-monitoring/top-failing")).body);
  const failing = { failingRuns: 2, operationalFailingRuns: 1, scorerFailingRuns: 1, failureRate: 2 / 3 };
  expect(found.agents).toEqual([
    { agentId, name: "shop", totalRuns: 3, ...failing },
    {
      agentId: null,
      name: null,
      totalRuns: 1,
      failingRuns: 1,
      operationalFailingRuns: 1,
      scorerFailingRuns: 0,
      failureRate: 1,
    },
  ]);
  expect(found.patterns.map(({ patternKey, count }) => [patternKey, count])).toEqual([
    ["custom:b", 2],
    ["custom:a", 1],
  ]);
});

test("scores of sessions are exported, each round of each scorer", { tags: ["spec:export.entity"] }, async () => {
  const project = newProject();
  const score = { session_id: "s", scorer_key: "online-eval:p", scorer_name: "Tone", span_count: 2, threshold: 5 };
  for (const round of [1, 2]) {
    const [project_id, id] = [project.projectId, uuidv7(Date.now() + round)];
    await rows.insert("session_scores", { project_id, id, round, rating: 4 * round, justification: "So.", ...score });
  }
  const told = { sessionId: "s", kind: "online-eval:p", scorerName: "Tone", threshold: 5, spanCount: 2, findings: [] };
  expect(await project.lines("/export/session-scores")).toMatchObject([
    { ...told, projectId: project.projectId, round: 1, rating: 4, justification: "So.", judgeModel: null },
    { ...told, round: 2, rating: 8, createdAt: expect.stringMatching(/Z$/) },
  ]);
  expect(await newProject().lines("/export/session-scores")).toEqual([]);
});
