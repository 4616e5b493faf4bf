import { createRunReply, dataset, ingestHealth, submitTraceReply } from "@touchstone/contracts";
import { buildBatch, buildDataset, buildResult, buildTrace } from "@touchstone/testkit";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { type ApiAnswer, createClient } from "../src/client.ts";
import { useCombined } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

const { system, client } = useCombined();

const traces = "/ingest/traces";
const runs = "/custom-agent-evaluations/runs";
const datasets = "/custom-agent-evaluations/datasets";
const nobody = "00000000-0000-7000-8000-000000000000";

const seen = ({ status, body }: ApiAnswer) => ({ status, body });

async function createRun(): Promise<string> {
  const { _id: datasetId } = await client.expect({ status: 201, schema: dataset }, "POST", datasets, buildDataset());
  return (await client.expect({ status: 201, schema: createRunReply }, "POST", runs, { datasetId })).runId;
}

const countTraces = async () => ((await client.send("GET", traces)).body as { totalCount: number }).totalCount;

describe("an invalid trace is 422 with the invalid fields, and is not stored", () => {
  test.each([
    ["no name", {}, { name: ["Required"] }],
    ["an empty name", { name: "" }, { name: ["String must contain at least 1 character(s)"] }],
    ["a name that is none", { name: 7 }, { name: ["Expected string, received number"] }],
  ])(
    "%s",
    { tags: ["spec:ingest.name", "spec:ingest.422", "spec:envelope.validation", "spec:status.422"] },
    async (_what, body, fieldErrors) => {
      const stored = await countTraces();

      const answer = await client.send("POST", traces, body);

      expect(seen(answer)).toEqual({
        status: 422,
        body: { error: "Invalid trace payload", details: { fieldErrors, formErrors: [] } },
      });
      expect(await countTraces()).toBe(stored);
    },
  );

  test("every field with a wrong type", {
    tags: [
      "spec:ingest.latency_ms",
      "spec:ingest.error",
      "spec:ingest.framework",
      "spec:ingest.model",
      "spec:ingest.session_id",
      "spec:ingest.422",
    ],
  }, async () => {
    const answer = await client.send("POST", traces, {
      name: "agent",
      latency_ms: "12",
      error: { message: "down" },
      framework: 1,
      model: ["gpt-5"],
      tool_calls: {},
      session_id: 7,
      metadata: "none",
      performance_summary: [],
      input_tokens: "12",
    });

    expect(answer.status).toBe(422);
    const { details } = answer.body as { details: { fieldErrors: Record<string, string[]> } };
    expect(details.fieldErrors).toEqual({
      latency_ms: ["Expected number, received string"],
      error: ["Expected string, received object"],
      framework: ["Expected string, received number"],
      model: ["Expected string, received array"],
      tool_calls: ["Expected array, received object"],
      session_id: ["Expected string, received number"],
      metadata: ["Expected object, received string"],
      performance_summary: ["Expected object, received array"],
      input_tokens: ["Expected number, received string"],
    });
  });

  test("a body that is no object", { tags: ["spec:envelope.validation"] }, async () => {
    expect(seen(await client.send("POST", traces, [1]))).toEqual({
      status: 422,
      body: {
        error: "Invalid trace payload",
        details: { fieldErrors: {}, formErrors: ["Expected object, received array"] },
      },
    });
  });
});

describe("a refusal of a route is { error }", () => {
  const results = `${runs}/${nobody}/results`;
  test.each<[method: string, route: string, body: unknown, message: string]>([
    ["GET", `${traces}?cursor=nonsense`, undefined, "Unknown cursor"],
    ["POST", runs, {}, "datasetId is required"],
    ["POST", datasets, { name: "d", questions: [{}] }, "Each question must have main_question.query"],
    ["POST", results, { results: [buildResult()] }, "batchId must be a non-empty string"],
    ["POST", results, { batchId: "b" }, "results must be a non-empty array"],
    ["POST", results, { batchId: "b", results: Array(11).fill(buildResult()) }, "Batch size must not exceed 10"],
    ["POST", results, { batchId: "b", results: [null] }, "Every results entry must be an object"],
  ])("%s %s %j is 400", { tags: ["spec:status.400", "spec:envelope.error"] }, async (method, route, body, error) => {
    expect(seen(await client.send(method, route, body))).toEqual({ status: 400, body: { error } });
  });

  test("a wrong key is 401 on every route that requires a key", {
    tags: ["spec:auth.401", "spec:status.401", "spec:envelope.error"],
  }, async () => {
    const stranger = createClient({ url: system.url, apiKey: `${system.apiKey.slice(0, -1)}!` });
    for (const [method, route] of [
      ["POST", traces],
      ["GET", traces],
      ["GET", `${traces}/${nobody}`],
      ["GET", "/ingest/sessions/s/spans"],
      ["GET", `/agents/${nobody}`],
      ["POST", "/otel/v1/traces"],
      ["POST", datasets],
      ["GET", datasets],
      ["POST", runs],
      ["GET", `${runs}/${nobody}`],
      ["POST", `${runs}/${nobody}/results`],
      ["POST", `${runs}/${nobody}/finalize`],
      ["GET", "/projects"],
    ] as const) {
      const answer = await stranger.send(method, route, method === "POST" ? {} : undefined);
      expect({ route, ...seen(answer) }).toEqual({ route, status: 401, body: { error: "Invalid or missing API key" } });
    }
  });

  test.each([
    [{ workspaceId: nobody }, "Unauthorized workspace access"],
    [{ workspaceId: 1 }, "Could not resolve a valid workspace"],
    [{ agent_id: nobody }, "Agent not found in workspace or insufficient permissions"],
  ])("a trace for %j is 403", { tags: ["spec:status.403", "spec:envelope.error"] }, async (more, error) => {
    expect(seen(await client.send("POST", traces, { ...buildTrace(), ...more }))).toEqual({
      status: 403,
      body: { error },
    });
  });

  const missing: [what: string, tags: string[], method: string, route: string, body: unknown, error: string][] = [
    ["a trace", ["spec:traces.get.404"], "GET", `${traces}/${nobody}`, undefined, "Trace not found"],
    ["an agent", ["spec:agents.get.404"], "GET", `/agents/${nobody}`, undefined, "Agent not found"],
    ["a dataset", [], "GET", `${datasets}/${nobody}`, undefined, "Dataset not found"],
    ["a run's dataset", [], "POST", runs, { datasetId: nobody }, "Dataset not found"],
    ["a run", ["spec:run.get.404"], "GET", `${runs}/${nobody}`, undefined, "Run not found"],
    ["a run for results", ["spec:run.results.404"], "POST", results, buildBatch(), "Run not found"],
    ["a run to finalize", [], "POST", `${runs}/${nobody}/finalize`, {}, "Run not found"],
  ];
  for (const [what, tags, method, route, body, error] of missing) {
    test(`${what} that does not exist is 404`, {
      tags: ["spec:status.404", "spec:envelope.error", ...tags],
    }, async () => {
      expect(seen(await client.send(method, route, body))).toEqual({ status: 404, body: { error } });
    });
  }

  test("results for a run that has ended are 409", {
    tags: ["spec:status.409", "spec:run.results.409.terminal", "spec:envelope.error"],
  }, async () => {
    const runId = await createRun();
    await client.send("POST", `${runs}/${runId}/finalize`);

    const late = await client.send("POST", `${runs}/${runId}/results`, { batchId: "late", results: [buildResult()] });

    expect(seen(late)).toEqual({ status: 409, body: { error: "Run is already in a terminal state" } });
  });
});

describe("a refusal before any route is { statusCode, message }", () => {
  const utf16 = { "content-type": "application/json; charset=utf-16" };
  const refusals: [what: string, tags: string[], body: string, headers: Record<string, string>, status: number][] = [
    ["JSON that ends early", ["spec:status.400"], '{"name":', {}, 400],
    ["another charset", ["spec:status.415"], "{}", utf16, 415],
    ["a body over the limit", ["spec:status.413", "spec:limit.body"], " ".repeat(10 * 1024 * 1024 + 1), {}, 413],
  ];
  for (const [what, tags, body, headers, status] of refusals) {
    test(what, { tags: ["spec:envelope.global", ...tags] }, async () => {
      for (const route of [traces, datasets, runs, `${runs}/${nobody}/results`]) {
        const answer = await client.send("POST", route, body, headers);
        expect({ route, ...seen(answer) }).toEqual({
          route,
          status,
          body: { statusCode: status, message: expect.any(String) },
        });
      }
    });
  }

  test("a read while the store is unavailable is 503, and stored data is there afterwards", {
    tags: ["spec:envelope.global", "spec:ingest.synchronous"],
  }, async () => {
    const stored = await client.expect({ status: 201, schema: submitTraceReply }, "POST", traces, buildTrace());
    const route = `${traces}/${stored.trace_id}`;

    await system.withoutDatabase(async () => {
      const refused = seen(await client.send("GET", route));
      expect(refused).toEqual({ status: 503, body: { statusCode: 503, message: expect.any(String) } });
    });

    await waitUntil("ingest serves again", async () => (await client.send("GET", route)).status === 200);
  });
});

/** Makes every insert of a span fail like PostgreSQL with a full disk. */
async function withFullDisk<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const database = new Client({ connectionString: system.database.adminUrl });
  await database.connect();
  try {
    await database.query(`
      create function ingest.refuse_for_lack_of_room() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on ingest.spans
        for each statement execute function ingest.refuse_for_lack_of_room()`);
    return await work();
  } finally {
    await database.query("drop function if exists ingest.refuse_for_lack_of_room() cascade");
    await database.end();
  }
}

test("a refusal is counted at once by its reason, without any text of the request", async () => {
  const read = () => client.expect({ status: 200, schema: ingestHealth }, "GET", "/agent-monitoring/ingest-health");
  const countsOf = ({ accepted, rejected, refusals }: Awaited<ReturnType<typeof read>>): Record<string, number> => ({
    accepted,
    rejected,
    ...Object.fromEntries(refusals.map(({ reason, count }) => [reason, count])),
  });
  const before = countsOf(await read());
  const span = { traceId: "d".repeat(32), spanId: "1".repeat(16), name: "secret" };
  const spans = { resourceSpans: [{ scopeSpans: [{ spans: [span, { ...span, traceId: "secret" }] }] }] };

  await client.send("POST", traces, buildTrace());
  await client.send("POST", "/otel/v1/traces", spans);
  await client.send("POST", traces, { name: ["secret"] });
  await client.send("POST", traces, "{secret");
  await client.send("POST", traces, "secret", { "content-type": "text/secret" });
  await client.send("POST", traces, { name: "secret", agent_id: "a secret" });
  await client.send("POST", traces, buildTrace(), { "x-api-key": "secret" });
  await withFullDisk(() => client.send("POST", traces, buildTrace()));

  const health = await read();
  const after = countsOf(health);
  const gained = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]);
  expect(Object.fromEntries(gained)).toMatchObject({
    accepted: 2,
    rejected: 1,
    trace_invalid: 1,
    body_unreadable: 1,
    unsupported_media_type: 1,
    forbidden: 1,
    store_unavailable: 1,
  });
  expect(health.refusals.find(({ reason }) => reason === "trace_invalid")?.example).toBe(
    "name: Expected string, received array",
  );
  expect(JSON.stringify(health)).not.toContain("secret");
  expect(health.hours.reduce((sum, { refused }) => sum + refused, 0)).toBe(health.refused);
});

test("a full store is 503, nothing is stored, and the same traces are accepted once there is space", {
  tags: ["spec:ingest.503", "spec:status.503", "spec:otlp.envelope", "spec:envelope.otlp", "spec:retry.otlp"],
}, async () => {
  const stored = await countTraces();
  const trace = buildTrace();
  const span = { traceId: "a".repeat(32), spanId: "1".repeat(16), name: "exported" };
  const spans = { resourceSpans: [{ scopeSpans: [{ spans: [span, { ...span, spanId: "2".repeat(16) }] }] }] };

  const refused = await withFullDisk(async () => [
    await client.send("POST", traces, trace),
    await client.send("POST", "/otel/v1/traces", spans),
  ]);

  expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(["2", "2"]);
  expect(refused.map(seen)).toEqual([
    { status: 503, body: { error: "Trace storage is unavailable - the span was not stored; retry." } },
    { status: 503, body: { message: "trace storage unavailable - 2 spans not stored, retry" } },
  ]);
  expect(await countTraces()).toBe(stored);
  expect((await client.send("POST", traces, trace)).status).toBe(201);
  expect((await client.send("POST", "/otel/v1/traces", spans)).status).toBe(200);
  expect(await countTraces()).toBe(stored + 3);
});
