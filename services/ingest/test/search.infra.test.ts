import { uuidv7 } from "@touchstone/service-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { type Reply, useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());

function list(projectId: string, query: Record<string, string | number>): Promise<Reply> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return ingest.call(projectId, "GET", `/api/v1/ingest/traces?${search}`);
}

/** The names of the traces on the one page, and the total. */
async function find(projectId: string, query: Record<string, string>): Promise<[string[], number]> {
  const { status, json } = await list(projectId, query);
  expect(status).toBe(200);
  return [json.traces.map((trace: { name: string }) => trace.name), json.totalCount];
}

/** Names of traces submitted one after the other, newest first. */
async function submitAll(projectId: string, traces: object[]): Promise<void> {
  for (const trace of traces) expect((await ingest.submit(projectId, trace)).status).toBe(201);
}

describe("a search", () => {
  test("finds text in every searched field, in any case, as soon as the trace is acknowledged", {
    tags: ["spec:traces.list.search"],
  }, async () => {
    const projectId = newProject();
    const traceId = (
      await ingest.submit(projectId, {
        name: "Weather Agent",
        input: { question: "How warm is Zürich?" },
        output: ["Twenty", { unit: "Degrees" }],
        error: "Timeout of the sensor",
        model: "GPT-5.6-Luna",
        session_id: "Session-A",
      })
    ).json.trace_id;
    await ingest.submit(projectId, { name: "other" });

    for (const search of [
      "weather a",
      "ZÜRICH",
      "degrees",
      "of the SENSOR",
      "5.6-luna",
      "session-a",
      traceId,
      "how warm",
    ]) {
      expect([search, await find(projectId, { search })]).toEqual([search, [["Weather Agent"], 1]]);
    }
    expect(await find(projectId, { search: "nowhere" })).toEqual([[], 0]);
  });

  test("finds an OpenTelemetry trace by its trace id", async () => {
    const projectId = newProject();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const span = { traceId, spanId: "00f067aa0ba902b7", name: "root" };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);

    expect(await find(projectId, { search: traceId.toUpperCase() })).toEqual([["root"], 1]);
  });

  test("finds decoded text: neither escapes nor punctuation of JSON are in the way", async () => {
    const projectId = newProject();
    await submitAll(projectId, [{ name: "quoted", input: 'she said "stop\\halt"', output: "line one\nline two" }]);

    expect(await find(projectId, { search: 'said "stop\\halt"' })).toEqual([["quoted"], 1]);
    expect(await find(projectId, { search: "one\nline" })).toEqual([["quoted"], 1]);
    expect((await find(projectId, { search: '"output"' }))[1]).toBe(0);
  });

  test("takes wildcards literally", async () => {
    const projectId = newProject();
    await submitAll(projectId, [
      { name: "one", input: "100% sure" },
      { name: "two", input: "100 sure" },
      { name: "three", input: "snake_case" },
      { name: "four", input: "snakeXcase" },
    ]);

    expect(await find(projectId, { search: "100%" })).toEqual([["one"], 1]);
    expect(await find(projectId, { search: "snake_case" })).toEqual([["three"], 1]);
    expect(await find(projectId, { search: "%" })).toEqual([["one"], 1]);
    expect(await find(projectId, { search: "_" })).toEqual([["three"], 1]);
    expect(await find(projectId, { search: "\\" })).toEqual([[], 0]);
  });

  test("uses the first 200 characters of a term, and an empty one finds everything", async () => {
    const projectId = newProject();
    await submitAll(projectId, [{ name: "long", input: "é".repeat(200) }]);

    expect((await find(projectId, { search: `${"é".repeat(200)}and more` }))[1]).toBe(1);
    expect((await find(projectId, { search: "" }))[1]).toBe(1);
  });

  test("pages through all its hits, each page with the exact total", async () => {
    const projectId = newProject();
    await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        ingest.submit(projectId, { name: `${index}`, input: index % 3 === 0 ? "needle" : "hay" }),
      ),
    );

    const seen: string[] = [];
    let cursor = "";
    do {
      const { json } = await list(projectId, { search: "needle", limit: 4, cursor });
      expect(json.totalCount).toBe(15);
      seen.push(...json.traces.map((trace: { _id: string }) => trace._id));
      cursor = json.nextCursor ?? "";
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(15);
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  test("does not see another project's traces", async () => {
    const [mine, theirs] = [newProject(), newProject()];
    await submitAll(theirs, [{ name: "secret", input: "canary" }]);

    expect(await find(mine, { search: "canary" })).toEqual([[], 0]);
    expect((await find(theirs, { search: "canary" }))[1]).toBe(1);
  });
});

describe("the filters of the list", () => {
  const projectId = newProject();
  const agents: Record<string, string> = {};

  beforeAll(async () => {
    const traces = [
      { name: "a", model: "m1", session_id: "s1", timestamp: "2026-03-01T00:00:00Z" },
      { name: "b", model: "m2", session_id: "s1", timestamp: "2026-03-02T00:00:00Z", error: "broken", framework: "x" },
      { name: "c", model: "m1", session_id: "s2", timestamp: "2026-03-03T00:00:00.500Z", source: "eval-run" },
      { name: "a", model: "m1", timestamp: "2026-03-04T00:00:00Z", error: "broken", input: "late" },
    ];
    for (const trace of traces) {
      const { json } = await ingest.submit(projectId, trace);
      agents[trace.name] = json.reference_agent_id;
    }
  });

  test.each<[Record<string, string>, string[]]>([
    [{ model: "m1" }, ["a", "c", "a"]],
    [{ sessionId: "s1" }, ["b", "a"]],
    [{ hasError: "true" }, ["a", "b"]],
    [{ hasError: "false" }, ["c", "a"]],
    [{ from: "2026-03-02" }, ["a", "c", "b"]],
    [{ to: "2026-03-03T00:00:00.500Z" }, ["b", "a"]],
    [{ from: "2026-03-01T00:00:00.001Z", to: "2026-03-03T00:00:00.501Z" }, ["c", "b"]],
    [{ model: "m1", source: "production", hasError: "true" }, ["a"]],
    [{ framework: "X", sessionId: "s1" }, ["b"]],
    [{ search: "broken", model: "m2" }, ["b"]],
    [{ search: "broken", from: "2026-03-03" }, ["a"]],
    [{ search: "broken", framework: "x", hasError: "true", sessionId: "s1", to: "2027-01-01" }, ["b"]],
    [{ search: "s1", source: "eval" }, []],
    [{ model: "unknown" }, []],
    [{ model: "a\0b" }, []],
    [{ agentId: "no such agent" }, []],
    [{ agentId: "019aa000-0000-7000-8000-000000000001" }, []],
  ])("%j lists exactly those, and counts them", async (query, names) => {
    expect(await find(projectId, query)).toEqual([names, names.length]);
    const page = await list(projectId, { ...query, limit: 1 });
    expect([page.json.totalCount, page.json.hasNextPage]).toEqual([names.length, names.length > 1]);
  });

  test("an agent's traces are listed by its id, also within a search", async () => {
    expect(await find(projectId, { agentId: agents.a ?? "" })).toEqual([["a", "a"], 2]);
    expect(await find(projectId, { agentId: agents.a ?? "", search: "late" })).toEqual([["a"], 1]);
  });

  test("an OpenTelemetry trace without a session is listed by its trace id", async () => {
    const otherProject = newProject();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const span = { traceId, spanId: "00f067aa0ba902b7", name: "root" };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    await ingest.call(otherProject, "POST", "/api/v1/otel/v1/traces", { body });

    expect(await find(otherProject, { sessionId: traceId })).toEqual([["root"], 1]);
    expect(await find(otherProject, { sessionId: traceId, search: "root" })).toEqual([["root"], 1]);
  });

  test.each([
    [{ from: "yesterday" }, "from must be an ISO 8601 date"],
    [{ to: "2026-02-30" }, "to must be an ISO 8601 date"],
    [{ hasError: "maybe" }, "hasError must be true or false"],
  ])("%j is refused in a sentence", async (query, error) => {
    const { status, json } = await list(projectId, query);
    expect([status, json]).toEqual([400, { error }]);
  });
});
