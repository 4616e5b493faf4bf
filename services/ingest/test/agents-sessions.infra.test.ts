import { randomBytes } from "node:crypto";
import { agentReply, internalRoutes, sessionList } from "@touchstone/contracts";
import { openDatabase } from "@touchstone/db";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "./ingest-database.ts";
import { type Reply, useIngest, useMonitor } from "./running-ingest.ts";

const { database, ingest } = useIngest();
const monitor = useMonitor(ingest);
const options = { requestId: "test", deadlineMs: 20_000 };

const newProject = (): string => uuidv7(Date.now());

describe("the registry of agents", () => {
  const find = async (projectId: string, ids: string[] | null = null, withTraffic = false) =>
    (await monitor.call(internalRoutes.findAgents, { projectId, ids, withTraffic }, options)).agents;
  const resolve = async (projectId: string, idOrName: string, register: boolean) =>
    (await monitor.call(internalRoutes.resolveAgent, { projectId, idOrName, register }, options)).agent;
  const create = (projectId: string, body: unknown): Promise<Reply> =>
    ingest.call(projectId, "POST", "/api/v1/agents", { body: JSON.stringify(body) });

  test("lists the project's agents by name, however they were registered", { tags: ["spec:agents.list"] }, async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "weather" });
    const created = await create(projectId, { name: "billing" });
    await create(newProject(), { name: "foreign" });

    expect(created.status).toBe(201);
    expect(agentReply.strict().parse(created.json).agent.name).toBe("billing");
    const agents = await find(projectId);
    expect(agents.map(({ name }) => name)).toEqual(["billing", "weather"]);
    const { _id: id, ...billing } = created.json.agent;
    expect(agents[0]).toEqual({ id, ...billing, traceCount: null, lastSeenAt: null });
    expect(await find(projectId, [id])).toEqual([agents[0]]);
    const read = await ingest.call(projectId, "GET", `/api/v1/agents/${created.json.agent._id}`);
    expect(read.json).toEqual(created.json);
  });

  test("are listed in pages by name, then age, and by how long their names are", async () => {
    const projectId = newProject();
    const ids: string[] = [];
    for (const name of ["b", "a", "b", "c"]) ids.push((await create(projectId, { name })).json.agent._id);
    const inOrder = [ids[1], ids[0], ids[2], ids[3]];
    const page = (limit: number, after: string | null) =>
      monitor.call(internalRoutes.findAgents, { projectId, ids: null, withTraffic: false, limit, after }, options);

    const first = await page(3, null);
    const second = await page(3, first.nextCursor ?? null);
    expect([first, second].map(({ agents }) => agents.map(({ id }) => id))).toEqual([inOrder.slice(0, 3), [ids[3]]]);
    expect(first).toMatchObject({ hasNextPage: true, nextCursor: ids[2] });
    expect(second).not.toHaveProperty("hasNextPage");

    const admin = openDatabase({
      url: database.adminUrl,
      role: new URL(database.adminUrl).username,
      applicationName: "test",
      connectionsMax: 1,
      statementTimeoutMs: 20_000,
      openProjects: undefined,
      logger: silentLogger,
    });
    onTestFinished(() => admin.close());
    await admin.query({
      name: "many_agents",
      text: `
        insert into ingest.agents (project_id, id, name_key, name, is_requested)
        select $1, gen_random_uuid(), gen_random_uuid(), repeat('ä', 1990) || number, true
        from generate_series(1000, 3999) as number`,
      values: [projectId],
    });
    const { agents, truncatedBy } = await page(5_000, null);
    expect(truncatedBy).toBe("bytes");
    expect(agents.length).toBeLessThan(2_200);
  });

  test("are counted: their root traces, and when the newest of them was", async () => {
    const projectId = newProject();
    const at = (day: number) => `2026-01-0${day}T03:04:05.678Z`;
    for (const day of [2, 3, 1]) await ingest.submit(projectId, { name: "weather", timestamp: at(day) });
    await create(projectId, { name: "billing" });
    await ingest.submit(newProject(), { name: "weather" });

    expect(await find(projectId, null, true)).toMatchObject([
      { name: "billing", traceCount: 0, lastSeenAt: null },
      { name: "weather", traceCount: 3, lastSeenAt: at(3) },
    ]);
  });

  test("finds one by id or name; only where it is asked to it registers a name, once, and never an id", async () => {
    const projectId = newProject();
    expect(await resolve(projectId, "weather", false)).toBeNull();
    const asked = await Promise.all(Array.from({ length: 5 }, () => resolve(projectId, "weather", true)));
    const [agent] = asked;
    expect(agent).toMatchObject({ name: "weather" });
    expect(new Set(asked.map((each) => each?.id)).size).toBe(1);
    expect(await find(projectId)).toHaveLength(1);
    expect(await resolve(projectId, agent?.id ?? "", true)).toEqual(agent);
    const trace = await ingest.submit(projectId, { name: "weather" });
    expect(trace.json.reference_agent_id).toBe(agent?.id);

    const foreign = newProject();
    expect(await resolve(foreign, agent?.id ?? "", true)).toBeNull();
    expect(await find(foreign)).toEqual([]);
  });

  test("two agents may share a name; a trace goes to the oldest", async () => {
    const projectId = newProject();
    const first = await create(projectId, { name: "twin" });
    const second = await create(projectId, { name: "twin" });
    const trace = await ingest.submit(projectId, { name: "twin" });

    expect(second.json.agent._id).not.toBe(first.json.agent._id);
    expect(trace.json.reference_agent_id).toBe(first.json.agent._id);
    expect(await find(projectId)).toHaveLength(2);
  });

  test.each([
    [{}, "name is required"],
    [{ name: "" }, "name is required"],
    [{ name: 7 }, "name is required"],
    [{ name: "x".repeat(2001) }, "name must have at most 2000 characters"],
    [{ name: "a\0b" }, "name must be text without NUL"],
  ])("%j is refused in a sentence", async (body, error) => {
    const { status, json } = await create(newProject(), body);
    expect([status, json]).toEqual([400, { error }]);
  });
});

describe("the overview of sessions", () => {
  const overview = (projectId: string, query = ""): Promise<Reply> =>
    ingest.call(projectId, "GET", `/api/v1/agent-monitoring/sessions?${query}`);
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

  test("adds up the spans of each session, newest activity first", async () => {
    const projectId = newProject();
    const first = await ingest.submit(projectId, {
      name: "old agent",
      session_id: "s1",
      span_id: "r",
      latency_ms: 100,
      input: [{ role: "user", content: `How ${"so ".repeat(200)}?` }],
      timestamp: hoursAgo(3),
    });
    await ingest.submit(projectId, {
      name: "step",
      session_id: "s1",
      span_id: "c",
      parent_span_id: "r",
      latency_ms: 50,
      error: "broken",
      timestamp: hoursAgo(2),
    });
    await ingest.submit(projectId, { name: "other", session_id: "s2", latency_ms: 7, timestamp: hoursAgo(1.5) });
    const last = await ingest.submit(projectId, {
      name: "new agent",
      session_id: "s1",
      latency_ms: 11,
      input: "And now?",
      timestamp: hoursAgo(1),
    });
    await ingest.submit(projectId, { name: "alone" });
    await ingest.submit(newProject(), { name: "foreign", session_id: "s1" });

    const { window, sessions } = sessionList.parse((await overview(projectId, "window=24h&view=preview")).json);
    expect(window).toBe("24h");
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s1", "s2"]);
    const times = await Promise.all(
      [first, last].map(async ({ json }) => {
        const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${json.trace_id}`);
        return detail.json.createdAt;
      }),
    );
    expect(sessions[0]).toEqual({
      sessionId: "s1",
      agentId: last.json.reference_agent_id,
      agentName: "new agent",
      firstInput: `How ${"so ".repeat(200)}?`.slice(0, 300),
      turnCount: 2,
      spanCount: 3,
      errorCount: 1,
      totalLatencyMs: 111,
      firstAt: times[0],
      lastAt: times[1],
      judgeRating: null,
      judgeName: null,
      judgeCheckedAt: null,
      judges: [],
    });
    expect(sessions[1]).toMatchObject({ sessionId: "s2", firstInput: null });
    const [whole] = (await overview(projectId)).json.sessions as object[];
    expect(whole).not.toHaveProperty("firstInput");
  });

  test("leaves out a first question that is too large to be read for a list", async () => {
    const projectId = newProject();
    const input = randomBytes(100_000).toString("base64");
    await ingest.submit(projectId, { name: "agent", session_id: "large", input });
    const { sessions } = (await overview(projectId, "view=preview")).json;
    expect(sessions).toMatchObject([{ sessionId: "large", firstInput: null }]);
  });

  test("counts an OpenTelemetry trace without a session as a separate one", async () => {
    const projectId = newProject();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const spans = [
      { traceId, spanId: "00f067aa0ba902b7", name: "root" },
      { traceId, spanId: "00f067aa0ba902b8", parentSpanId: "00f067aa0ba902b7", name: "child" },
    ];
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body });

    const { sessions } = (await overview(projectId)).json;
    expect(sessions).toMatchObject([{ sessionId: traceId, turnCount: 1, spanCount: 2, agentName: "root" }]);
  });

  test("shows the window that is asked for, seven days when it is none", async () => {
    const projectId = newProject();
    await ingest.submit(projectId, { name: "a", session_id: "day", timestamp: hoursAgo(2) });
    await ingest.submit(projectId, { name: "a", session_id: "week", timestamp: hoursAgo(48) });
    await ingest.submit(projectId, { name: "a", session_id: "month", timestamp: hoursAgo(24 * 20) });
    const idsOf = ({ json }: Reply) => [
      json.window,
      json.sessions.map((session: { sessionId: string }) => session.sessionId),
    ];

    expect(idsOf(await overview(projectId, "window=24h"))).toEqual(["24h", ["day"]]);
    expect(idsOf(await overview(projectId, "window=fortnight"))).toEqual(["7d", ["day", "week"]]);
    expect(idsOf(await overview(projectId, "window=30d"))).toEqual(["30d", ["day", "week", "month"]]);
  });
});
