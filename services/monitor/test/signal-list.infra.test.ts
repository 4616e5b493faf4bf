import { randomUUID } from "node:crypto";
import { signalDetail, signalEvents, signalList } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createSettledRows, hoursAgo } from "./settled-rows.ts";
import type { ProjectClient } from "./start-monitor.ts";
import { fakeIngest, newProject, query, useWatchingMonitor } from "./watching-bench.ts";

useWatchingMonitor();

const rows = createSettledRows({ query });
const noAgent = "00000000-0000-0000-0000-000000000000";

async function addSignal(project: ProjectClient, signal: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID();
  const at = (signal.last_seen_at as Date | undefined) ?? new Date();
  await rows.insert("signals", {
    project_id: project.projectId,
    id,
    pattern_key: `custom:${id}`,
    agent_id: noAgent,
    type: "pattern_match",
    severity: "medium",
    polarity: "failure",
    summary: "Refund loop",
    occurrence_count: 1,
    first_seen_at: at,
    last_seen_at: at,
    created_at: at,
    updated_at: at,
    ...signal,
  });
  return id;
}

const list = async (project: ProjectClient, asked = "") => {
  const { status, body } = await project.send("GET", `/monitor/signals${asked}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return signalList.parse(body);
};

test("pages of signals miss none and repeat none, also those seen at the same moment", async () => {
  const project = newProject();
  const same = hoursAgo(2);
  for (const last_seen_at of [hoursAgo(1), same, same, same, hoursAgo(3)]) await addSignal(project, { last_seen_at });
  // PostgreSQL keeps microseconds, which a Date does not show.
  await query(
    "update monitor.signals set last_seen_at = last_seen_at + interval '7 microseconds' where project_id = $1",
    [project.projectId],
  );

  const pages = [await list(project, "?limit=2")];
  for (let next = pages[0]?.nextCursor; next !== null && next !== undefined; next = pages.at(-1)?.nextCursor) {
    pages.push(await list(project, `?limit=2&cursor=${next}`));
  }

  expect(pages.map(({ signals }) => signals.length)).toEqual([2, 2, 1]);
  expect(pages.map(({ totalCount }) => totalCount)).toEqual([5, 5, 5]);
  const all = await list(project);
  expect(all.nextCursor).toBeNull();
  expect(pages.flatMap(({ signals }) => signals)).toEqual(all.signals);
});

test("signals are counted by status under the other filters, and found by several statuses at once", async () => {
  const project = newProject();
  const statuses = ["open", "open", "reopened", "resolved", "dismissed"];
  for (const status of statuses) await addSignal(project, { status });
  await addSignal(project, { status: "open", severity: "high" });
  await addSignal(project, { status: "open", polarity: "proper" });
  await addSignal(newProject());

  const none = { open: 0, reopened: 0, in_review: 0, resolved: 0, archived: 0, dismissed: 0 };
  const counts = { ...none, open: 3, reopened: 1, resolved: 1, dismissed: 1 };
  expect(await list(project, "?limit=1")).toMatchObject({ totalCount: 6, statusCounts: counts });
  const toDo = await list(project, "?status=open,reopened,open");
  expect(toDo).toMatchObject({ totalCount: 4, statusCounts: counts });
  expect(toDo.signals.map(({ status }) => status).toSorted()).toEqual(["open", "open", "open", "reopened"]);
  expect(await list(project, "?severity=high&status=resolved")).toMatchObject({
    signals: [],
    totalCount: 0,
    statusCounts: { ...none, open: 1 },
  });
  expect(await list(project, "?agentId=nobody")).toEqual({
    signals: [],
    totalCount: 0,
    statusCounts: none,
    nextCursor: null,
  });
});

test("signals are searched by their summary, cause, key and newest question and answer, in any case", async () => {
  const project = newProject();
  const ids = {
    summary: await addSignal(project, { summary: "Promises 100% back" }),
    cause: await addSignal(project, { root_cause: "It repeats itself" }),
    key: await addSignal(project, { pattern_key: "custom:angry-customer" }),
    evidence: await addSignal(project, { evidence: { query: "Wo ist ÄRGER?", responsePreview: "In a_b" } }),
  };
  const find = async (search: string) =>
    (await list(project, `?search=${encodeURIComponent(search)}`)).signals.map(({ _id }) => _id);

  expect(await find("100%")).toEqual([ids.summary]);
  expect(await find(" REPEATS ")).toEqual([ids.cause]);
  expect(await find("angry-")).toEqual([ids.key]);
  expect(await find("ärger")).toEqual([ids.evidence]);
  expect(await find("a_b")).toEqual([ids.evidence]);
  expect(await find("a%b")).toEqual([]);
  expect(await find("\\")).toEqual([]);
  expect(await find(" ")).toHaveLength(4);
});

test("a summary of signals leaves their occurrences out, and one signal shows them with 30 days of its trend", async () => {
  const project = newProject();
  const agentId = randomUUID();
  const id = await addSignal(project, { pattern_key: "custom:a", agent_id: agentId, occurrence_count: 2 });
  const rule = await addSignal(project, { pattern_key: "alert-rule:b" });
  const occurrence = (signal_id: string, seen_at: Date) =>
    rows.insert("signal_occurrences", { project_id: project.projectId, signal_id, id: randomUUID(), seen_at });
  const [now, threeDaysAgo] = [hoursAgo(0), hoursAgo(72)];
  await occurrence(id, now);
  await occurrence(rule, threeDaysAgo);
  const found = { project_id: project.projectId, pattern_key: "custom:a", kind: "pattern", polarity: "failure" };
  for (const [created_at, agent_id] of [
    [now, agentId],
    [now, agentId],
    [threeDaysAgo, agentId],
    [now, randomUUID()],
    [hoursAgo(31 * 24), agentId],
  ] as const) {
    const event = { id: randomUUID(), severity: "low", trace_id: randomUUID(), created_at };
    await rows.insert("events", { ...found, ...event, agent_id });
  }
  // A judge leaves what passed as well: it raised nothing.
  const passed = { id: randomUUID(), severity: "low", trace_id: randomUUID(), created_at: now, polarity: "proper" };
  await rows.insert("events", { ...found, ...passed, agent_id: agentId });

  const summary = await list(project, "?view=summary");
  expect(summary.signals.map((signal) => "occurrences" in signal)).toEqual([false, false]);
  expect((await list(project, "?view=full")).signals.map(({ occurrences }) => occurrences?.length)).toEqual([1, 1]);
  const read = async (signalId: string) =>
    signalDetail.parse((await project.send("GET", `/monitor/signals/${signalId}`)).body);
  const dayOf = (time: Date) => `${time.toISOString().slice(0, 10)}T00:00:00.000Z`;
  const one = await read(id);
  expect(one.signal.occurrences).toHaveLength(1);
  expect(one.trend).toHaveLength(30);
  expect(one.trend.filter(({ count }) => count > 0)).toEqual([
    { ts: dayOf(threeDaysAgo), count: 1 },
    { ts: dayOf(now), count: 2 },
  ]);
  expect((await read(rule)).trend.filter(({ count }) => count > 0)).toEqual([{ ts: dayOf(threeDaysAgo), count: 1 }]);

  for (const signalId of [id, rule]) {
    const { trend } = await read(signalId);
    for (const [index, { ts, count }] of trend.entries()) {
      const end = trend[index + 1]?.ts;
      const { totalCount, events } = await readEvents(
        project,
        signalId,
        `?from=${ts}${end === undefined ? "" : `&to=${end}`}`,
      );
      expect([totalCount, events.length]).toEqual([count, count]);
    }
  }
});

const readEvents = async (project: ProjectClient, signalId: string, asked = "") => {
  const { status, body } = await project.send("GET", `/monitor/signals/${signalId}/events${asked}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return signalEvents.parse(body);
};

test("the events of a signal are on pages, newest first, with the question and the answer", async () => {
  const project = newProject();
  const id = await addSignal(project, { pattern_key: "custom:a" });
  const traceIds = [1, 2, 3, 4, 5].map((number) =>
    fakeIngest.addTrace(project.projectId, { input: `Question ${number}` }),
  );
  for (const [hours, trace_id] of traceIds.entries()) {
    await rows.insert("events", {
      ...{ project_id: project.projectId, id: randomUUID(), pattern_key: "custom:a", kind: "pattern" },
      ...{ polarity: "failure", severity: "low", trace_id, created_at: hoursAgo(hours), rating: 2 },
    });
  }
  const first = await readEvents(project, id, "?limit=3");
  const second = await readEvents(project, id, `?limit=3&cursor=${first.nextCursor}`);
  expect([first, second]).toMatchObject([
    { totalCount: 5, hasNextPage: true },
    { totalCount: 5, hasNextPage: false, nextCursor: null },
  ]);
  const events = [first, second].flatMap((page) => page.events);
  expect(events.map(({ traceId }) => traceId)).toEqual(traceIds);
  expect(events[0]).toMatchObject({ rating: 2, sessionId: null, input: "Question 1" });

  const path = `/monitor/signals/${id}/events`;
  expect(await newProject().send("GET", path)).toEqual({ status: 404, body: { error: "Signal not found" } });
  for (const [asked, error] of [
    ["cursor=x", "Unknown cursor"],
    ["from=soon", "from must be an ISO 8601 date"],
    ["limit=many", "limit must be a positive integer"],
  ]) {
    expect(await project.send("GET", `${path}?${asked}`)).toEqual({ status: 400, body: { error } });
  }
});

test.each([
  ["cursor=x", "Unknown cursor"],
  ["cursor=1.x", "Unknown cursor"],
  [`cursor=99999999999999999.${randomUUID()}`, "Unknown cursor"],
  ["status=open,gone", "status must be one of: open, reopened, in_review, resolved, archived, dismissed"],
  ["view=all", "view must be one of: full, summary"],
  ["search=a&search=b", "search must be given once"],
])("a list of signals with %s is refused: %s", async (asked, error) => {
  expect(await newProject().send("GET", `/monitor/signals?${asked}`)).toEqual({ status: 400, body: { error } });
});
