import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { importReply, tracesStored } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { openPools } from "./ingest-database.ts";
import { jsonText, objectText } from "./json-arbitrary.ts";
import { listCaptures, readCapture } from "./otlp/corpus.ts";
import { type Reply, startIngest, useIngest } from "./running-ingest.ts";

const { database, ingest } = useIngest();

const newProject = (): string => uuidv7(Date.now());
const exportTraces = (projectId: string, query = ""): Promise<Reply> =>
  ingest.call(projectId, "GET", `/api/v1/export/traces${query}`);
const linesOf = ({ text }: Reply): string[] => text.split("\n").filter((line) => line !== "");
const importTraces = (projectId: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
  ingest.call(projectId, "POST", "/api/v1/import/traces", {
    body,
    headers: { "content-type": "application/x-ndjson", ...headers },
  });
const sendOtlp = (projectId: string, body: Buffer | string, contentType = "application/json"): Promise<Reply> =>
  ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body, headers: { "content-type": contentType } });

/** A line without what belongs to its project. */
const portable = (line: string): string =>
  line.replace(/"projectId":"[^"]*"/, "").replace(/"agentId":(null|"[^"]*")(?=,"agentName")/, "");

function otlpSpans(trace: string, changes: object = {}) {
  return (spanId: string, parentSpanId: string, name: string, attributes: Record<string, string | number>) => ({
    traceId: trace.padStart(32, "0"),
    spanId: spanId.padStart(16, "0"),
    parentSpanId: parentSpanId === "" ? "" : parentSpanId.padStart(16, "0"),
    name,
    startTimeUnixNano: "1767225600123456000",
    endTimeUnixNano: "1767225601000001000",
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: value } : { stringValue: value },
    })),
    ...changes,
  });
}

const otlpBody = (spans: object[]): string => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

/** One OTLP/JSON export with a root, a tool and a model call below it. */
function otlpExport(trace: string): string {
  const span = otlpSpans(trace);
  return otlpBody([
    span("1", "", "invoke_agent planner", { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner" }),
    span("2", "1", "chat", {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "input.value": "Paris?",
      "output.value": "Sunny.",
    }),
    span("3", "1", "execute_tool weather", {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "input.value": '{"city":"Paris"}',
      "output.value": "18",
    }),
  ]);
}

describe("GET /export/traces", () => {
  test("is one line for each span, unchanged, in the order of ids", { tags: ["spec:export.entity"] }, async () => {
    const projectId = newProject();
    const { json } = await ingest.submit(
      projectId,
      '{"name":"a","input":{"n":1e400,\n"z":-0},"output":null,"span_id":"s"}',
    );
    await ingest.submit(projectId, { name: "child", parent_span_id: "s", session_id: "x", input_tokens: 3 });

    const reply = await exportTraces(projectId);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="traces.ndjson"');
    expect(reply.text.endsWith("\n")).toBe(true);
    const [root = "", child = ""] = linesOf(reply);
    expect(linesOf(reply)).toHaveLength(2);
    expect(root).toContain('"input":{"n":1e400, "z":-0},"output":null,');
    expect(JSON.parse(root)).toMatchObject({
      id: json.trace_id,
      projectId,
      name: "a",
      latencyMs: null,
      spanId: "s",
      parentSpanId: null,
      agentId: json.reference_agent_id,
      agentName: "a",
      isRoot: true,
    });
    expect(JSON.parse(child)).toMatchObject({ name: "child", parentSpanId: "s", agentId: null, inputTokens: 3 });
    expect(JSON.parse(child)).not.toHaveProperty("input");
  });

  test("has every span once when there are many pages", async () => {
    const projectId = newProject();
    const lines = Array.from({ length: 1_234 }, (_, index) => JSON.stringify({ name: `t${index}` }));
    expect((await importTraces(projectId, lines.join("\n"))).json).toMatchObject({ stored: 1_234, rejected: 0 });

    const exported = linesOf(await exportTraces(projectId)).map((line) => JSON.parse(line));
    expect(new Set(exported.map(({ name }) => name)).size).toBe(1_234);
    expect(exported.map(({ id }) => id)).toEqual(exported.map(({ id }) => id).sort());
  });

  test("begins at `since`, inclusive, and refuses an invalid date", { tags: ["spec:export.entity"] }, async () => {
    const projectId = newProject();
    const times = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];
    for (const timestamp of times) await ingest.submit(projectId, { name: timestamp, timestamp });
    const names = async (since: string) =>
      linesOf(await exportTraces(projectId, `?since=${encodeURIComponent(since)}`)).map(
        (line) => JSON.parse(line).name,
      );

    expect(await names("2026-01-02T00:00:00.000Z")).toEqual(times.slice(1));
    expect(await names("2026-01-02T00:00:00.0001Z")).toEqual(times.slice(2));
    expect(await names("2026-01-02")).toEqual(times.slice(1));
    expect(await names("1800-01-01")).toEqual(times);
    expect(await names("+099999-01-01T00:00:00Z")).toEqual([]);
    for (const since of ["yesterday", "", "2026-02-30", "1767225600000"]) {
      const reply = await exportTraces(projectId, `?since=${since}`);
      expect([reply.status, reply.json]).toEqual([400, { error: "since must be an ISO-8601 date" }]);
    }
  });

  test("of another project is empty, and agents are exported beside it", async () => {
    const projectId = newProject();
    const { json } = await ingest.submit(projectId, { name: "planner" });

    expect((await exportTraces(newProject())).text).toBe("");
    const agents = linesOf(await ingest.call(projectId, "GET", "/api/v1/export/agents"));
    expect(agents.map((line) => JSON.parse(line))).toEqual([
      { id: json.reference_agent_id, projectId, name: "planner", createdAt: expect.stringMatching(/Z$/) },
    ]);
    expect((await ingest.call(newProject(), "GET", "/api/v1/export/agents")).text).toBe("");
  });
});

describe("export, import, export", () => {
  async function expectSame(projectId: string): Promise<void> {
    const exported = await exportTraces(projectId);
    const count = linesOf(exported).length;
    const copy = newProject();
    const imported = await importTraces(copy, exported.bytes);
    expect([imported.status, imported.json]).toEqual([200, { stored: count, replayed: 0, rejected: 0, reasons: [] }]);
    expect(linesOf(await exportTraces(copy)).map(portable)).toEqual(linesOf(exported).map(portable));
    expect((await importTraces(copy, exported.bytes)).json).toMatchObject({ stored: 0, replayed: count, rejected: 0 });
    expect((await importTraces(projectId, exported.bytes)).json).toMatchObject({ stored: 0, replayed: count });
    const roots = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=1")).json.totalCount;
    expect((await ingest.call(copy, "GET", "/api/v1/ingest/traces?limit=1")).json.totalCount).toBe(roots);
  }

  test("gives the same bytes for any JSON, evaluation traffic, backfilled times and children", async () => {
    const projectId = newProject();
    const parts = fc.record({ input: jsonText(), output: jsonText(), metadata: objectText(), tool: jsonText() });
    const samples = fc.sample(parts, { numRuns: 150, seed: 20261121 });
    for (const [index, sent] of samples.entries()) {
      const reply = await ingest.submit(
        projectId,
        `{"name":"t${index % 7}","input":${sent.input},"output":${sent.output},"metadata":${sent.metadata},
          "tool_calls":[{"name":"x","latency_ms":1.5,"input":${sent.tool}}],"error":"no\\u0000pe \\ud800",
          "latency_ms":${index * 1.000123},"timestamp":"20${10 + (index % 16)}-02-03T04:05:06.789Z",
          "started_at_unix_nano":"1767225600${String(index).padStart(9, "0")}","framework":" LangChain ",
          "session_id":"s${index % 3}","input_tokens":${index},"source":"${index % 2 === 0 ? "eval-run" : "x"}"
          ${index % 5 === 0 ? `,"span_id":"p${index}"` : ""}${index % 5 === 1 ? `,"parent_span_id":"p${index - 1}"` : ""}}`,
      );
      expect(reply.status, reply.text).toBe(201);
    }
    await ingest.submit(projectId, {
      name: "another name",
      agent_id: "t1",
      model: "m",
      performance_summary: { a: [1] },
    });
    await expectSame(projectId);
  });

  test("gives the same bytes for the traces of every captured producer", { timeout: 120_000 }, async () => {
    const projectId = newProject();
    for (const capture of listCaptures().filter(({ signal }) => signal === "traces")) {
      const type = capture.contentType === "json" ? "application/json" : "application/x-protobuf";
      expect((await sendOtlp(projectId, await readCapture(capture), type)).status).toBe(200);
    }
    await sendOtlp(projectId, otlpExport("abc"));
    await expectSame(projectId);
  });

  test("keeps ids, times, agents by name, and what tells one span from another over OTLP", async () => {
    const [projectId, copy] = [newProject(), newProject()];
    await sendOtlp(projectId, otlpExport("abc"));
    const exported = await exportTraces(projectId);
    await importTraces(copy, exported.bytes);
    const again = await sendOtlp(copy, otlpExport("abc"));

    expect(again.json).toEqual({});
    expect(linesOf(await exportTraces(copy)).map(portable)).toEqual(linesOf(exported).map(portable));
    const list = (await ingest.call(copy, "GET", "/api/v1/ingest/traces")).json;
    expect(list).toMatchObject({ totalCount: 1, traces: [{ name: "planner", inputTokens: 12, outputTokens: 3 }] });
    const detail = (await ingest.call(copy, "GET", `/api/v1/ingest/traces/${list.traces[0]._id}`)).json;
    const agent = (await ingest.call(copy, "GET", `/api/v1/agents/${detail.agentId}`)).json.agent;
    expect(agent.name).toBe("planner");
    const session = await ingest.call(copy, "GET", `/api/v1/ingest/sessions/${"abc".padStart(32, "0")}/spans`);
    expect(session.json.spans).toHaveLength(3);
  });

  test("keeps the figures of tools: their names without the operation, and each call once", async () => {
    const [projectId, copy] = [newProject(), newProject()];
    const justNow = `${Date.now() - 1_000}000000`;
    const span = otlpSpans("abd", { startTimeUnixNano: justNow, endTimeUnixNano: justNow });
    const tool = (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });
    const spans = [
      span("1", "", "invoke_agent planner", { "gen_ai.operation.name": "invoke_agent" }),
      span("2", "1", "execute_tool weather", tool("weather")),
      span("3", "2", "tools/call weather", tool("weather")),
      span("4", "1", "execute_tool search", { ...tool("search"), "gen_ai.tool.call.id": "c1" }),
      span("5", "4", "search", { ...tool("find"), "gen_ai.tool.call.id": "c1" }),
    ];
    await sendOtlp(projectId, otlpBody(spans));
    await importTraces(copy, (await exportTraces(projectId)).bytes);

    for (const project of [projectId, copy]) {
      const { totals } = (await ingest.call(project, "GET", "/api/v1/agent-monitoring/metrics?window=24h")).json;
      const once = { calls: 1, failures: 0 };
      expect([totals.toolCalls, totals.byTool]).toEqual([2, { weather: once, search: once }]);
    }
  });
});

describe("POST /import/traces", () => {
  test("takes OTLP/JSON exports beside exported lines, packed or not, and counts spans", async () => {
    const [source, projectId] = [newProject(), newProject()];
    await ingest.submit(source, { name: "exported", span_id: "s" });
    const body = `${(await exportTraces(source)).text}\r\n\n${otlpExport("1")}\n${otlpExport("2")}`;

    const packed = await importTraces(projectId, gzipSync(body), { "content-encoding": "gzip" });
    expect(importReply.parse(packed.json)).toEqual({ stored: 7, replayed: 0, rejected: 0, reasons: [] });
    expect((await importTraces(projectId, body)).json).toMatchObject({ stored: 0, replayed: 7 });
    expect((await sendOtlp(projectId, otlpExport("2"))).status).toBe(200);
    expect(linesOf(await exportTraces(projectId))).toHaveLength(7);
  });

  test("an invalid line affects only itself and is reported by its number", async () => {
    const projectId = newProject();
    const idOf = (atMs: number): string => uuidv7(atMs);
    const day = Date.parse("2026-01-01");
    const id = idOf(day);
    const lines: [string | Buffer, string | null][] = [
      ['{"name":"good"}', null],
      ["{", "JSON"],
      ["[]", "a line is a JSON object, not array"],
      ["{}", "name is missing"],
      ['{"name":5}', "name must be of type string, not number"],
      ['{"name":"a\\u0000"}', "name must not contain NUL or an unpaired surrogate"],
      [`{"name":"x","sessionId":"${"s".repeat(513)}"}`, "sessionId has more than 512 characters"],
      ['{"name":"x","createdAt":"yesterday"}', "createdAt must be an ISO 8601 time"],
      ['{"name":"x","createdAt":"9000-01-01T00:00:00Z"}', "createdAt lies in the future"],
      ['{"name":"x","id":"1"}', "id must be a UUID of version 7"],
      [`{"name":"x","id":"${id}","createdAt":"2026-01-01T00:00:00.001Z"}`, "id is not of the time createdAt"],
      [`{"name":"x","id":"${idOf(Date.now() + 3_600_000)}"}`, "id lies in the future"],
      ['{"name":"x","latencyMs":1e999}', "latencyMs must be finite"],
      ['{"name":"x","toolCalls":[1]}', "toolCalls must hold objects, not number"],
      ['{"name":"x","metadata":[]}', "metadata must be of type object, not array"],
      [`{"name":"x","input":${"[".repeat(300)}${"]".repeat(300)}}`, "input nests deeper than 256 levels"],
      [Buffer.from([0x7b, 0xff, 0x7d]), "the line is not UTF-8"],
      ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"no ids"}]}]}]}', "1 of 1 spans"],
      ['{"resourceSpans":5}', "resourceSpans"],
      [`{"name":"first","id":"${id}"}`, null],
      [`{"name":"first","id":"${id}","spanId":"other"}`, "id belongs to another span"],
      ['{"name":"also good"}', null],
    ];
    const body = Buffer.concat(lines.flatMap(([line]) => [Buffer.from(line), Buffer.from("\n")]));
    const { status, json } = await importTraces(projectId, body);

    expect(status).toBe(200);
    const faults = lines.flatMap(([, fault], index) => (fault === null ? [] : [{ line: index + 1, fault }]));
    expect(json).toMatchObject({ stored: 3, replayed: 0, rejected: faults.length });
    expect(json.reasons.map(({ line }: { line: number }) => line)).toEqual(faults.map(({ line }) => line));
    for (const [index, { fault }] of faults.entries()) expect(json.reasons[index].error).toContain(fault);
    expect(linesOf(await exportTraces(projectId))).toHaveLength(3);
  });

  test("tells the first hundred mistakes and counts all of them", async () => {
    const { json } = await importTraces(newProject(), "{}\n".repeat(250));
    expect(json).toMatchObject({ stored: 0, rejected: 250 });
    expect(json.reasons).toHaveLength(100);
  });

  test("one line many times is stored once, also with concurrent senders", async () => {
    const projectId = newProject();
    const line = `{"name":"x","id":"${uuidv7(Date.parse("2026-01-01"))}","spanId":"s"}\n`;
    const replies = await Promise.all([importTraces(projectId, line.repeat(3)), importTraces(projectId, line)]);

    for (const { status } of replies) expect(status).toBe(200);
    const sum = (name: string) => replies.reduce((total, { json }) => total + json[name], 0);
    // Two imports at the same instant may both call it theirs.
    expect(sum("stored") + sum("replayed")).toBe(4);
    expect(linesOf(await exportTraces(projectId))).toHaveLength(1);
    expect((await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.totalCount).toBe(1);
    expect((await importTraces(projectId, line.repeat(3))).json).toMatchObject({ stored: 0, replayed: 3 });
    expect((await ingest.submit(projectId, { name: "x", span_id: "s" })).json.deduped).toBe(true);
  });

  test("asks monitoring for nothing, over both shapes", async () => {
    const projectId = newProject();
    await importTraces(projectId, `{"name":"x"}\n${otlpExport("7")}`);
    const { app, maintenance } = openPools(database.url);
    const { rows } = await maintenance.query<{ body: string }>({
      name: "outbox_of_project",
      text: "select body from ingest.outbox where position($1 in body) > 0",
      values: [projectId],
    });
    await Promise.all([app.close(), maintenance.close()]);

    const events = rows.flatMap(({ body }) => tracesStored.body.parse(JSON.parse(body)).traces);
    expect(events.map(({ name, monitor }) => [name, monitor]).sort()).toEqual([
      ["planner", false],
      ["x", false],
    ]);
  });

  test("nothing at all is imported from an empty body, and another content type is refused", async () => {
    expect((await importTraces(newProject(), "")).json).toEqual({ stored: 0, replayed: 0, rejected: 0, reasons: [] });
    const reply = await importTraces(newProject(), "{}", { "content-type": "text/plain" });
    expect(reply.status).toBe(415);
    expect((await importTraces(newProject(), "x", { "content-encoding": "br" })).status).toBe(415);
  });

  test("a body that is cut short inside its encoding is refused, earlier lines may be stored", async () => {
    const projectId = newProject();
    const packed = gzipSync(`${JSON.stringify({ name: "x" })}\n`.repeat(2_000));
    const reply = await importTraces(projectId, packed.subarray(0, packed.length - 20), { "content-encoding": "gzip" });
    expect(reply.status).toBe(400);
  });
});

describe("an import that cannot go on", () => {
  test("that exceeds the daily quota reports its progress, and continues when sent again", async () => {
    const projectId = newProject();
    const body = Array.from({ length: 1_200 }, (_, index) => JSON.stringify({ name: "x", spanId: `s${index}` }));
    const limited = await startIngest({ databaseUrl: database.url, config: { tracesPerDay: 1_100 } });
    await limited.ready();
    const refused = await limited.call(projectId, "POST", "/api/v1/import/traces", {
      body: body.join("\n"),
      headers: { "content-type": "application/x-ndjson" },
    });
    await limited.stop();

    expect([refused.status, refused.json]).toEqual([
      429,
      {
        error: expect.stringMatching(/^Daily trace quota reached/),
        stored: 1_000,
        replayed: 0,
        rejected: 0,
        reasons: [],
      },
    ]);
    expect((await importTraces(projectId, body.join("\n"))).json).toMatchObject({ stored: 200, replayed: 1_000 });
  });

  test.each([
    ["lines", "{}\n", 0],
    ["empty lines", "\n", 0],
    ["lines before twelve megabytes that cannot be compressed", "{}\n", 12],
  ])("of %s because its client disconnected ends, and makes room for another", async (_what, piece, megabytes) => {
    const projectId = newProject();
    // A gigabyte in one megabyte: minutes of work for each of the two that a project may run.
    const member = gzipSync(Buffer.alloc(10 * 1024 * 1024, piece));
    const rest = gzipSync(randomBytes(megabytes * 1024 * 1024), { level: 0 });
    const endless = Buffer.concat([...Array.from({ length: 100 }, () => member), rest]);
    const leaving = new AbortController();
    /** The small one below may have its place for a moment. */
    const importEndless = async (): Promise<Reply> => {
      const { signal } = leaving;
      const headers = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
      const reply = await ingest.call(projectId, "POST", "/api/v1/import/traces", { body: endless, headers, signal });
      return reply.status === 429 ? importEndless() : reply;
    };
    const imports = [importEndless(), importEndless()];
    const statusOfAnother = async () => (await importTraces(projectId, '{"name":"small"}')).status;
    await vi.waitFor(async () => expect(await statusOfAnother()).toBe(429));

    leaving.abort();

    for (const each of imports) await expect(each).rejects.toThrow();
    await vi.waitFor(async () => expect(await statusOfAnother()).toBe(200), { timeout: 20_000, interval: 100 });
  });
});
