import { randomUUID } from "node:crypto";
import { agentFigures, topFailing, trend } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { hoursAgo, useSettledRows } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";

const { fakeIngest, rows, newProject } = useSettledRows();

const addEvents = async (project: ProjectClient, agent_id: string | null, found: [string, string, Date?][]) => {
  for (const [pattern_key, polarity, created_at = hoursAgo(1)] of found) {
    const kind = pattern_key === "negative-feedback" ? "feedback" : "pattern";
    const event = { id: randomUUID(), trace_id: randomUUID(), severity: "low", kind, created_at };
    await rows.insert("events", { project_id: project.projectId, ...event, agent_id, pattern_key, polarity });
  }
};

test("each agent has its runs, failures, latency, cost and what fails most, the most failing first", async () => {
  const project = newProject();
  const shop = fakeIngest.addAgent(project.projectId, "shop");
  const quiet = fakeIngest.addAgent(project.projectId, "quiet");
  fakeIngest.agentCosts = [
    { agentId: shop, cost: 1.5 },
    { agentId: null, cost: 0 },
  ];
  await rows.addRun(project, { agent_id: shop, operational_class: "agent-trace-error", latency_ms: 10 });
  const rated = await rows.addRun(project, { agent_id: shop, latency_ms: 30 });
  await rows.addVerdict(project, rated, { rating: 2 });
  await rows.addVerdict(project, rated, { rating: 9, scorer_key: "online-eval:help" });
  await rows.addVerdict(project, rated, { rating: 10, scorer_key: "scorer-group:all", is_group: true });
  await rows.addRun(project, { agent_id: shop, latency_ms: 20 });
  await rows.addRun(project, { agent_id: shop, created_at: hoursAgo(30), operational_class: "empty-agent-response" });
  await rows.addRun(project, { agent_id: quiet });
  await rows.addRun(project, {});
  await addEvents(project, shop, [
    ["custom:a", "failure"],
    ["custom:b", "failure"],
    ["custom:b", "failure"],
    ["custom:a", "failure", hoursAgo(30)],
    ["custom:a", "failure", hoursAgo(30)],
    ...Array.from({ length: 3 }, (): [string, string] => ["custom:thanks", "proper"]),
    ...Array.from({ length: 3 }, (): [string, string] => ["negative-feedback", "failure"]),
  ]);
  await addEvents(project, null, [["custom:a", "failure"]]);
  const stranger = newProject();
  await rows.addRun(stranger, { agent_id: shop, operational_class: "agent-trace-error" });
  await addEvents(stranger, quiet, [["custom:theirs", "failure"]]);

  const reply = await project.send("GET", "/agent-monitoring/agent-figures?window=24h");
  const { window, since, agents } = agentFigures.strict().parse(reply.body);
  expect([window, since.slice(13)]).toEqual(["24h", ":00:00.000Z"]);
  const none = {
    ...{ failingRuns: 0, operationalFailingRuns: 0, scorerFailingRuns: 0, failureRate: 0 },
    ...{ latencyP95: null, meanRating: null, ratings: 0 },
  };
  expect(agents).toEqual([
    {
      ...{ agentId: shop, name: "shop", totalRuns: 3, failingRuns: 2, failureRate: 2 / 3 },
      ...{ operationalFailingRuns: 1, scorerFailingRuns: 1, latencyP95: 30, costUSD: 1.5, meanRating: 5.5, ratings: 2 },
      mainFailure: { patternKey: "custom:b", kind: "pattern", count: 2 },
    },
    { ...none, agentId: quiet, name: "quiet", totalRuns: 1, costUSD: null, mainFailure: null },
    {
      ...{ ...none, agentId: null, name: null, totalRuns: 1, costUSD: 0 },
      mainFailure: { patternKey: "custom:a", kind: "pattern", count: 1 },
    },
  ]);
  expect(agentFigures.parse((await newProject().send("GET", "/agent-monitoring/agent-figures")).body)).toMatchObject({
    window: "7d",
    agents: [],
  });
});

test("the trend and the most frequent findings can be limited to one agent", async () => {
  const project = newProject();
  const [shop, other] = [randomUUID(), randomUUID()];
  const failing = await rows.addRun(project, { agent_id: shop, operational_class: "agent-trace-error" });
  const fine = await rows.addRun(project, { agent_id: other });
  await rows.addVote(project, failing, "down");
  await rows.addVote(project, fine, "up");
  await addEvents(project, shop, [["custom:a", "failure"]]);
  await addEvents(project, other, [["custom:b", "failure"]]);
  const sums = async (query: string) => {
    const { body } = await project.send("GET", `/agent-monitoring/trend?window=24h${query}`);
    const { points } = trend.parse(body);
    const sum = (of: "totalRuns" | "failingRuns" | "votes") => points.reduce((total, point) => total + point[of], 0);
    return [points.length, sum("totalRuns"), sum("failingRuns"), sum("votes")];
  };
  const found = async (query: string) => {
    const { body } = await project.send("GET", `/agent-monitoring/top-failing?window=24h${query}`);
    const { agents, patterns } = topFailing.parse(body);
    return [agents.map(({ agentId }) => agentId), patterns.map(({ patternKey }) => patternKey)];
  };

  expect(await sums("")).toEqual([24, 2, 1, 2]);
  expect(await sums(`&agentId=${shop}`)).toEqual([24, 1, 1, 1]);
  expect(await sums(`&agentId=${other}`)).toEqual([24, 1, 0, 1]);
  expect(await sums("&agentId=nobody")).toEqual([24, 0, 0, 0]);
  expect(await found(`&agentId=${shop}`)).toEqual([[shop], ["custom:a"]]);
  expect(await found(`&agentId=${other}`)).toEqual([[], ["custom:b"]]);
  expect(await found("&agentId=nobody")).toEqual([[], []]);
});

test("figures of agents are unavailable while ingest is", async () => {
  fakeIngest.isUnavailable = true;
  const { status } = await newProject()
    .send("GET", "/agent-monitoring/agent-figures")
    .finally(() => {
      fakeIngest.isUnavailable = false;
    });
  expect(status).toBe(503);
});
