import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { buildExport } from "./otlp/build-export.ts";
import { buildLogs, type RecordSketch, spanId, traceId } from "./otlp/build-logs.ts";
import { readFixture } from "./otlp/corpus.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

interface Part {
  path: "/v1/traces" | "/v1/logs";
  body: Buffer;
}

const traces = (file: string): Part => ({ path: "/v1/traces", body: readFixture(file) });
const logs = (file: string): Part => ({ path: "/v1/logs", body: readFixture(file) });

/** The captures whose producers tell contents in logs. */
const captures: Record<string, Part[]> = {
  "claude-agent-sdk": [traces("claude-agent-sdk/01.traces.bin"), logs("claude-agent-sdk/02.logs.bin")],
  "otel-openai": [
    traces("otel-openai/03.traces.bin"),
    logs("otel-openai/04.logs.bin"),
    traces("otel-openai/05.traces.bin"),
    logs("otel-openai/06.logs.bin"),
  ],
};

async function send(projectId: string, { path, body }: Part): Promise<void> {
  const headers = { "content-type": "application/x-protobuf" };
  const reply = await ingest.call(projectId, "POST", `/api/v1/otel${path}`, { body, headers });
  expect(reply.status).toBe(200);
}

/** Everything a client can read of a project, without values that differ each time. */
async function readProject(projectId: string): Promise<unknown> {
  const list = await ingest.call(projectId, "GET", "/api/v1/ingest/traces?limit=100");
  const roots = [];
  for (const item of list.json.traces) {
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${item._id}`);
    const session = await ingest.call(projectId, "GET", `/api/v1/ingest/sessions/${item.sessionId}/spans`);
    roots.push({ item: plain(item), detail: plain(detail.json), spans: session.json.spans.map(plain) });
  }
  roots.sort((left, right) => (String(left.item.spanId) < String(right.item.spanId) ? -1 : 1));
  return roots;
}

function plain({ _id: _, agentId: __, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

describe.each(Object.keys(captures))("the logs of %s", (name) => {
  const parts = captures[name] as Part[];

  test("are read with their spans: the golden rows", { tags: ["spec:otlp.receive"] }, async () => {
    const projectId = uuidv7(Date.now());
    for (const part of parts) await send(projectId, part);
    const rows = JSON.stringify(await readProject(projectId), null, 2);
    await expect(`${rows}\n`).toMatchFileSnapshot(`otlp/golden/composed/${name}.json`);
  });

  test("are searched in, whether they come before their spans or after", async () => {
    for (const given of [parts, parts.toReversed()]) {
      const projectId = uuidv7(Date.now());
      for (const part of given) await send(projectId, part);
      for (const term of ["sunny in Paris", "weather in Paris?"]) {
        const query = new URLSearchParams({ search: term });
        const found = await ingest.call(projectId, "GET", `/api/v1/ingest/traces?${query}`);
        expect(found.json.traces.map(({ name }: { name: string }) => name)).toContain(
          name === "otel-openai" ? "weather-agent" : "claude_code.interaction",
        );
      }
    }
  });

  const orders: Record<string, (parts: Part[]) => Part[]> = {
    "before their spans": (given) => given.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    "after their spans": (given) => given.toSorted((left, right) => (left.path > right.path ? -1 : 1)),
    "twice, in between": (given) => [...given.toReversed(), ...given],
  };
  test.each(Object.keys(orders))("give the same when they come %s", async (order) => {
    const [expected, other] = [uuidv7(Date.now()), uuidv7(Date.now())];
    for (const part of parts) await send(expected, part);
    for (const part of orders[order]?.(parts) ?? []) await send(other, part);
    expect(await readProject(other)).toEqual(await readProject(expected));
  });
});

test("a record is stored once, whatever records it is sent with, and equal records of one export all count", async () => {
  const projectId = uuidv7(Date.now());
  const said = (content: string): RecordSketch => ({ event: "gen_ai.user.message", body: { content } });
  const span = buildExport({
    root: true,
    name: "chat",
    attributes: { "gen_ai.operation.name": "chat" },
    more: { traceId, spanId },
  });
  const exports = [
    buildLogs(said("first"), said("yes"), said("yes")),
    buildLogs(said("yes"), said("yes")),
    buildLogs(said("yes")),
  ];
  for (const [path, bodies] of [["traces", [span]] as const, ["logs", exports] as const]) {
    for (const body of bodies) {
      const sent = { body, headers: { "content-type": "application/json" } };
      expect((await ingest.call(projectId, "POST", `/api/v1/otel/v1/${path}`, sent)).text).toBe("{}");
    }
  }

  const { traces } = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json;
  const input = traces[0].input.map(({ content }: { content: string }) => content);
  expect(input).toEqual(["first", "yes", "yes"]);
});

describe("records of a response", () => {
  const evaluation = buildLogs({
    event: "gen_ai.evaluation.result",
    attributes: {
      "gen_ai.evaluation.name": "Relevance",
      "gen_ai.evaluation.score.value": 0.75,
      "gen_ai.evaluation.score.label": "relevant",
      "gen_ai.evaluation.explanation": "It answers.",
      "gen_ai.response.id": "r1",
    },
    more: { traceId: "", spanId: "" },
  });
  const span = buildExport({
    root: true,
    name: "chat",
    attributes: { "gen_ai.operation.name": "chat", "gen_ai.response.id": "r1" },
  });
  const json = { "content-type": "application/json" };

  test.each([
    ["before", [evaluation, span]],
    ["after", [span, evaluation]],
  ])("find its span without any id of it, %s it came", async (_order, bodies) => {
    const projectId = uuidv7(Date.now());
    for (const body of bodies) {
      const path = `/api/v1/otel/v1/${body === span ? "traces" : "logs"}`;
      expect((await ingest.call(projectId, "POST", path, { body, headers: json })).text).toBe("{}");
    }
    const { traces } = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json;
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${traces[0]._id}`);
    expect(detail.json.metadata.evaluations).toMatchObject([{ name: "Relevance", responseId: "r1" }]);
    const said = { value: 0.75, dataType: "numeric", comment: "It answers.", metadata: { label: "relevant" } };
    expect(detail.json.scores).toMatchObject([{ id: null, name: "Relevance", source: "model", ...said }]);
    expect((await ingest.call(projectId, "GET", "/api/v1/scores")).json.scores).toEqual([]);
  });
});

describe("the usage that a log record states", () => {
  const headers = { "content-type": "application/json" };

  /** A call of a model whose span states no usage, and a log record that states it; returns its root. */
  async function sendCall(projectId: string, model: string): Promise<string> {
    const span = buildExport({
      root: true,
      name: "chat",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": model },
      more: { traceId, spanId },
    });
    const details = buildLogs({
      event: "gen_ai.client.inference.operation.details",
      attributes: { "gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 100_000 },
    });
    for (const [path, body] of Object.entries({ traces: span, logs: details })) {
      const reply = await ingest.call(projectId, "POST", `/api/v1/otel/v1/${path}`, { body, headers });
      expect(reply.text).toBe("{}");
    }
    return (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json.traces[0]._id;
  }

  test("has the same cost in the outline as in the detail", async () => {
    const projectId = uuidv7(Date.now());
    const id = await sendCall(projectId, "gpt-5.6-sol");
    const detail = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${id}`);
    expect(detail.json.estimatedCostUSD).toBe(8);
    const outline = await ingest.call(projectId, "GET", `/api/v1/ingest/traces/${id}/outline`);
    expect(outline.json.spans).toMatchObject([{ inputTokens: 1_000_000, costUSD: 8 }]);
  });

  test("makes its model one of those that lack a price", async () => {
    const projectId = uuidv7(Date.now());
    await sendCall(projectId, "mystery");
    const path = "/api/v1/agent-monitoring/portability/models/unpriced";
    expect((await ingest.call(projectId, "GET", path)).json).toEqual({ models: ["mystery"] });
  });
});

describe("the answer to logs", () => {
  const good: RecordSketch = { event: "gen_ai.user.message", body: "hi" };
  const sendLogs = (body: Buffer) =>
    ingest.call(uuidv7(Date.now()), "POST", "/api/v1/otel/v1/logs", {
      body,
      headers: { "content-type": "application/json" },
    });

  test("warns of ignored records and rejects nothing for it", async () => {
    const reply = await sendLogs(buildLogs(good, { body: "GET / 200" }));
    expect([reply.status, reply.json]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: "0",
          errorMessage: "1 records without GenAI content were ignored",
        },
      },
    ]);
  });

  test("counts the rejected records with the reason; the rest is stored", async () => {
    const reply = await sendLogs(buildLogs(good, { ...good, more: { spanId: "abc" } }));
    expect(reply.json.partialSuccess).toMatchObject({ rejectedLogRecords: "1" });
    expect(reply.json.partialSuccess.errorMessage).toContain("1 of 2 log records rejected: 1x spanId must be 16 hex");
  });

  test("refuses an invalid export", async () => {
    expect((await sendLogs(Buffer.from("[]"))).status).toBe(400);
  });
});
