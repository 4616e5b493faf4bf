import { internalRoutes, type Score, score as scoreSchema } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { type Reply, useIngest, useMonitor } from "./running-ingest.ts";

const { ingest } = useIngest();
const monitor = useMonitor(ingest);

const newProject = (): string => uuidv7(Date.now());
const post = (projectId: string, body: unknown): Promise<Reply> =>
  ingest.call(projectId, "POST", "/api/v1/scores", { body: JSON.stringify(body) });
const get = (projectId: string, path = ""): Promise<Reply> => ingest.call(projectId, "GET", `/api/v1/scores${path}`);
const detail = (projectId: string, id: string): Promise<Reply> =>
  ingest.call(projectId, "GET", `/api/v1/ingest/traces/${id}`);
const removeTrace = (projectId: string, id: string): Promise<Reply> =>
  ingest.call(projectId, "DELETE", `/api/v1/ingest/traces/${id}`);

async function store(projectId: string, ...scores: object[]): Promise<Score[]> {
  const reply = await post(projectId, scores);
  expect([reply.status, reply.json]).toMatchObject([201, { scores: expect.anything() }]);
  return scoreSchema.array().parse(reply.json.scores);
}

async function submit(projectId: string, trace: object): Promise<string> {
  const reply = await ingest.submit(projectId, { name: "agent", ...trace });
  expect(reply.status).toBe(201);
  return reply.json.traceId;
}

const otelTrace = "5b8efff798038103d269b633813fc60c";
const hexSpan = (number: number): string => String(number).padStart(16, "0");

/** Sends spans of the OTel trace, each given as its number and its parent's; returns their ids by number. */
async function sendSpans(projectId: string, ...spans: [number, number | null][]): Promise<Map<number, string>> {
  const sent = spans.map(([number, parent]) => ({
    traceId: otelTrace,
    spanId: hexSpan(number),
    parentSpanId: parent === null ? "" : hexSpan(parent),
    name: `span ${number}`,
    startTimeUnixNano: "1767225600000000000",
    endTimeUnixNano: "1767225601000000000",
    attributes: [{ key: "gen_ai.operation.name", value: { stringValue: "chat" } }],
  }));
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: sent }] }] });
  expect((await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body })).status).toBe(200);
  const listed = await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${otelTrace}/spans`);
  return new Map(listed.json.spans.map((span: { spanId: string; _id: string }) => [Number(span.spanId), span._id]));
}

const namesOf = (scores: readonly { name: string }[]): string[] => scores.map(({ name }) => name).toSorted();
const shownOf = async (projectId: string, id: string | undefined): Promise<string[]> =>
  namesOf((await detail(projectId, id ?? "")).json.scores);
const listedOf = async (projectId: string, query = ""): Promise<string[]> =>
  namesOf((await get(projectId, query)).json.scores);

describe("POST /scores", () => {
  test("stores one score with all its members", async () => {
    const projectId = newProject();
    const sent = {
      id: "s/1",
      name: "helpful",
      value: 0.25,
      comment: "short",
      metadata: { rubric: ["a", { b: null }] },
      source: "human",
      timestamp: "2026-01-02T03:04:05.678+01:00",
      traceId: "My-Trace",
      spanId: "My-Span",
      sessionId: "S",
      runId: "r",
      caseId: "c",
      runNumber: 2,
      author: "Ada",
    };
    const reply = await post(projectId, sent);
    const stored = { ...sent, dataType: "numeric", timestamp: "2026-01-02T02:04:05.678Z", authorId: null };
    expect([reply.status, reply.json]).toEqual([
      201,
      { scores: [{ ...stored, createdAt: expect.any(String), updatedAt: expect.any(String) }] },
    ]);
    expect((await get(projectId, "/s%2F1")).json.score).toEqual(reply.json.scores[0]);
  });

  test.each([
    [{ value: true }, { value: true, dataType: "boolean" }],
    [
      { value: 0, dataType: "boolean" },
      { value: false, dataType: "boolean" },
    ],
    [{ value: -0.5 }, { value: -0.5, dataType: "numeric" }],
    [{ value: 'say "\\é"' }, { value: 'say "\\é"', dataType: "categorical" }],
    [{ value: "" }, { value: "", dataType: "categorical" }],
  ])("keeps the type of %j", async (sent, stored) => {
    const projectId = newProject();
    const [{ id } = { id: "" }] = await store(projectId, { name: "n", traceId: "t", ...sent });
    expect((await get(projectId, `/${id}`)).json.score).toMatchObject({ ...stored, source: "code" });
  });

  test("replaces the score of the same id, which keeps its time", async () => {
    const projectId = newProject();
    const [first] = await store(projectId, { id: "a", name: "n", value: 1, comment: "old", traceId: "t" });
    const [second] = await store(projectId, { id: "a", name: "n", value: "two", spanId: "s" });
    expect(second).toMatchObject({ value: "two", dataType: "categorical", comment: null, traceId: null, spanId: "s" });
    expect([second?.timestamp, second?.createdAt]).toEqual([first?.timestamp, first?.createdAt]);
    expect((await get(projectId)).json.scores).toEqual([second]);
  });

  test("answers each id of a list once, where it was first sent, as it was last sent", async () => {
    const projectId = newProject();
    const scores = ["b", "a", "b"].map((id, value) => ({ id, name: "n", value, runId: "r" }));
    expect((await store(projectId, ...scores)).map(({ id, value }) => [id, value])).toEqual([
      ["b", 2],
      ["a", 1],
    ]);
  });

  test.each<[unknown, string]>([
    [null, "name is required"],
    [{ value: 1, traceId: "t" }, "name is required"],
    [{ name: "n", traceId: "t" }, "value is required"],
    [{ name: "n", value: 1 }, "traceId, spanId, sessionId, runId or caseId is required"],
    [{ name: "n", value: {}, traceId: "t" }, "value must be a number, a boolean or text of at most 10000 characters"],
    [{ name: "n", value: "1", dataType: "numeric", traceId: "t" }, 'value must be a number, as dataType is "numeric"'],
    [
      { name: "n", value: 2, dataType: "boolean", traceId: "t" },
      'value must be true or false, as dataType is "boolean"',
    ],
    [{ name: "n", value: 1, traceId: "" }, "traceId must be text of 1 to 512 characters"],
    [{ name: "n", value: 1, traceId: "t\0" }, "traceId must be text of 1 to 512 characters"],
    [{ name: "n", value: 1, traceId: "t", source: "me" }, 'source must be "human", "code", "model" or "import"'],
    [{ name: "n", value: 1, traceId: "t", timestamp: "soon" }, "timestamp must be an ISO 8601 date"],
    [{ name: "n", value: 1, traceId: "t", metadata: [] }, "metadata must be a JSON object"],
    [
      { name: "n", value: 1, traceId: "t", metadata: { long: "x".repeat(16_384) } },
      "metadata must have at most 16384 characters of JSON",
    ],
    // Before the schema, which would read all of them.
    [
      { value: 1, metadata: Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`member ${at}`, null])) },
      "metadata must have at most 16384 characters of JSON",
    ],
    [[], "A list must have 1 to 1000 scores"],
    [Array.from({ length: 1001 }, () => ({ name: "n", value: 1, traceId: "t" })), "A list must have 1 to 1000 scores"],
    [
      [
        { name: "n", value: 1, traceId: "t" },
        { name: "n", traceId: "t" },
      ],
      "scores[1]: value is required",
    ],
  ])("refuses %j, and stores nothing", async (body, error) => {
    const projectId = newProject();
    const reply = await post(projectId, body);
    expect([reply.status, reply.json]).toEqual([400, { error }]);
    expect(await listedOf(projectId)).toEqual([]);
  });

  test("takes a thousand at once, each as large as it may be", async () => {
    const projectId = newProject();
    const text = "界".repeat(512);
    const scores = Array.from({ length: 1000 }, (_, index) => ({
      id: `${"界".repeat(252)}${index}`,
      name: "界".repeat(256),
      value: index,
      ...{ traceId: text, spanId: text, sessionId: text, runId: text, caseId: text },
    }));
    expect(await store(projectId, ...scores)).toHaveLength(1000);
    expect((await get(projectId, "?limit=1000")).json).toMatchObject({ hasNextPage: false });
  });
});

describe("GET /scores", () => {
  test("lists the newest first, page by page, under filters", async () => {
    const projectId = newProject();
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
    await store(
      projectId,
      { id: "1", name: "a", value: 1, timestamp: at(1), traceId: otelTrace, source: "human" },
      { id: "2", name: "b", value: 1, timestamp: at(2), spanId: "s" },
      { id: "3", name: "c", value: 1, timestamp: at(2), sessionId: "x", runId: "r", caseId: "c1" },
      { id: "4.4", name: "d", value: 1, timestamp: at(3), traceId: "t" },
    );
    const seen: string[] = [];
    let page = (await get(projectId, "?limit=1")).json;
    for (; ; page = (await get(projectId, `?limit=1&cursor=${encodeURIComponent(page.nextCursor)}`)).json) {
      seen.push(...page.scores.map(({ id }: Score) => id));
      if (!page.hasNextPage) break;
    }
    expect(seen).toEqual(["4.4", "3", "2", "1"]);
    const found: Record<string, string[]> = {
      "name=b": ["b"],
      "source=human": ["a"],
      "traceId=5B8EFFF7-9803-8103-D269-B633813FC60C": ["a"],
      "traceId=t": ["d"],
      "spanId=s": ["b"],
      "sessionId=x&runId=r&caseId=c1": ["c"],
      "sessionId=x&name=a": [],
      [`from=${at(2)}&to=${at(3)}`]: ["b", "c"],
    };
    for (const [query, names] of Object.entries(found)) expect(await listedOf(projectId, `?${query}`)).toEqual(names);
  });

  test.each(["limit=0", "limit=1001", "cursor=x", "from=soon", "source=me", "name=%00"])(
    "refuses %s",
    async (query) => {
      const reply = await get(newProject(), `?${query}`);
      expect([reply.status, reply.json]).toEqual([400, { error: expect.any(String) }]);
    },
  );

  test("finds and deletes only what the project has", async () => {
    const [own, foreign] = [newProject(), newProject()];
    await store(own, { id: "a", name: "own", value: 1, traceId: "t" });
    await store(foreign, { id: "a", name: "foreign", value: 1, traceId: "t" });
    const remove = (id: string): Promise<Reply> => ingest.call(own, "DELETE", `/api/v1/scores/${id}`);
    expect((await remove("a")).json).toEqual({ deleted: true });
    for (const reply of [await remove("a"), await get(own, "/a"), await get(own, "/a%00")]) {
      expect([reply.status, reply.json]).toEqual([404, { error: "Score not found" }]);
    }
    expect(await listedOf(foreign, "?traceId=t")).toEqual(["foreign"]);
  });
});

describe("the details of traces and sessions", () => {
  test("show scores of an OpenTelemetry trace that were there before it", async () => {
    const projectId = newProject();
    await store(
      projectId,
      { name: "trace", value: 1, traceId: otelTrace.toUpperCase() },
      { name: "child", value: 1, traceId: otelTrace, spanId: hexSpan(2) },
      { name: "child alone", value: 1, spanId: hexSpan(2) },
      { name: "child of another", value: 1, traceId: "f".repeat(32), spanId: hexSpan(2) },
      { name: "session", value: 1, sessionId: otelTrace },
      { name: "run", value: 1, runId: "r" },
    );
    const ids = await sendSpans(projectId, [1, null], [2, 1]);
    await store(
      projectId,
      { name: "root by id", value: 1, traceId: ids.get(1) },
      { name: "child by ids", value: 1, traceId: ids.get(1), spanId: hexSpan(2) },
      { name: "child by id", value: 1, spanId: ids.get(2) },
      { name: "child as trace", value: 1, traceId: ids.get(2) },
    );
    expect(await shownOf(projectId, ids.get(1))).toEqual(["root by id", "trace"]);
    expect(await shownOf(projectId, ids.get(2))).toEqual([
      "child",
      "child alone",
      "child as trace",
      "child by id",
      "child by ids",
    ]);
    const session = await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${otelTrace}/spans`);
    expect(namesOf(session.json.scores)).toEqual(["session"]);
  });

  test("show scores of REST traces, without a change to any rating", async () => {
    const projectId = newProject();
    const root = await submit(projectId, { spanId: "root", session_id: "chat" });
    const child = await submit(projectId, { spanId: "child", parent_span_id: "root", session_id: "chat" });
    await store(
      projectId,
      { name: "root", value: 1, traceId: root },
      { name: "child", value: 1, traceId: root, spanId: "child" },
      { name: "chat", value: 1, sessionId: "chat" },
    );
    expect([await shownOf(projectId, root), await shownOf(projectId, child)]).toEqual([["root"], ["child"]]);
    expect((await detail(projectId, root)).json.judgeScores).toBeNull();
    const session = await ingest.call(projectId, "GET", "/api/v1/ingest/sessions/chat/spans");
    expect([session.json.spans.length, namesOf(session.json.scores)]).toEqual([2, ["chat"]]);
    expect(await shownOf(projectId, await submit(projectId, { spanId: "other" }))).toEqual([]);
  });

  test("show no score of another project", async () => {
    const [own, foreign] = [newProject(), newProject()];
    const id = await submit(own, { spanId: "s", session_id: "x" });
    await store(
      foreign,
      { name: "n", value: 1, traceId: id },
      { name: "n", value: 1, spanId: "s" },
      { name: "n", value: 1, sessionId: "x" },
    );
    expect(await shownOf(own, id)).toEqual([]);
    expect((await ingest.call(own, "GET", "/api/v1/ingest/sessions/x/spans")).json.scores).toEqual([]);
  });
});

test("scores that people gave to whole traces are read with the ids of the traces, page by page, newest first", async () => {
  const projectId = newProject();
  const ids = await sendSpans(projectId, [1, null], [2, 1]);
  const rest = await submit(projectId, {});
  const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
  const human = { name: "n", source: "human" };
  await store(
    projectId,
    { ...human, value: true, traceId: otelTrace, timestamp: at(1), comment: "good" },
    { ...human, value: 7, traceId: rest, timestamp: at(2) },
    { ...human, value: "up", traceId: "not here", timestamp: at(3) },
    { ...human, value: 1, traceId: rest, spanId: "s", timestamp: at(3) },
    { ...human, value: 1, traceId: rest, timestamp: "2025-12-31T23:59:59Z" },
    { name: "n", value: 1, traceId: rest, timestamp: at(3) },
  );
  const ask = { projectId, since: "2026-01-01T00:00:00Z", cursor: null };
  const reply = await monitor.call(internalRoutes.readHumanScores, ask, { requestId: "r", deadlineMs: 5_000 });
  const otelId = "5b8efff7-9803-8103-d269-b633813fc60c";
  expect(reply).toEqual({
    scores: [
      { traceIds: [], value: "up", comment: null, timestamp: at(3) },
      { traceIds: [rest], value: 7, comment: null, timestamp: at(2) },
      { traceIds: [otelId, ids.get(1)], value: true, comment: "good", timestamp: at(1) },
    ],
    nextCursor: null,
  });
});

describe("the deletion of a trace", () => {
  test("removes the scores of an OpenTelemetry trace and its spans, and no other", async () => {
    const projectId = newProject();
    const ids = await sendSpans(projectId, [1, null], [2, 1]);
    await store(
      projectId,
      { name: "trace", value: 1, traceId: otelTrace },
      { name: "row", value: 1, traceId: ids.get(2) },
      { name: "span", value: 1, spanId: hexSpan(2) },
      { name: "other trace", value: 1, traceId: "f".repeat(32), spanId: hexSpan(2) },
      { name: "other", value: 1, runId: "r" },
    );
    expect((await removeTrace(projectId, ids.get(1) ?? "")).json).toMatchObject({ deletedSpans: 2 });
    expect(await listedOf(projectId)).toEqual(["other", "other trace"]);
  });

  test("removes those of a REST trace", async () => {
    const projectId = newProject();
    const root = await submit(projectId, { spanId: "root" });
    await submit(projectId, { spanId: "child", parent_span_id: "root" });
    const kept = await submit(projectId, { spanId: "kept" });
    await store(
      projectId,
      { name: "root", value: 1, traceId: root },
      { name: "child", value: 1, traceId: root, spanId: "child" },
      { name: "child alone", value: 1, spanId: "child" },
      { name: "root by its row", value: 1, spanId: root },
      { name: "kept", value: 1, traceId: kept },
      { name: "kept by its row", value: 1, spanId: kept },
    );
    await removeTrace(projectId, root);
    expect(await listedOf(projectId)).toEqual(["kept", "kept by its row"]);
  });

  test("removes those of a REST child that is deleted alone, by whatever name they call it and its trace", async () => {
    const projectId = newProject();
    const root = await submit(projectId, { spanId: "root" });
    const child = await submit(projectId, { spanId: "child", parent_span_id: "root" });
    await store(
      projectId,
      { name: "root", value: 1, traceId: root },
      { name: "child", value: 1, traceId: root, spanId: "child" },
      { name: "child by its row", value: 1, traceId: root, spanId: child },
    );
    await removeTrace(projectId, child);
    expect(await listedOf(projectId)).toEqual(["root"]);
  });
});

describe("GET /export/scores", () => {
  test("has a line for each score, which another project takes as it is", async () => {
    const [from, to] = [newProject(), newProject()];
    await store(
      from,
      { id: "b", name: "n", value: true, metadata: { a: 1 }, timestamp: "2026-01-01T00:00:00Z", traceId: "T-1" },
      { id: "a", name: "line\nbreak", value: "x", comment: "c", runId: "r", caseId: "1", runNumber: 0 },
    );
    const exported = async (projectId: string): Promise<Record<string, unknown>[]> => {
      const { text } = await ingest.call(projectId, "GET", "/api/v1/export/scores");
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    };
    const lines = await exported(from);
    expect(lines.map(({ id, projectId }) => [id, projectId])).toEqual([
      ["a", from],
      ["b", from],
    ]);
    await store(to, ...lines);
    const ofBoth = { projectId: null, createdAt: null, updatedAt: null };
    expect((await exported(to)).map((line) => ({ ...line, ...ofBoth }))).toEqual(
      lines.map((line) => ({ ...line, ...ofBoth })),
    );
    expect((await ingest.call(from, "GET", "/api/v1/export/scores?since=2100-01-01")).text).toBe("");
  });
});
