import { randomBytes } from "node:crypto";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { dataset, run, traceList } from "@touchstone/contracts";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../src/client.ts";
import { useCombined } from "../src/use-combined.ts";

/** The published client of the protocol, in both versions, over HTTP and with the command that bridges to it. */
const cli = path.resolve(import.meta.dirname, "../../../packages/cli/src/main.ts");
const evaluations = "/custom-agent-evaluations";
const answerMaxChars = 20_000;

let traceId: string;

const { system } = useCombined();

beforeAll(async () => {
  traceId = await exportTrace(3_000);
});

/** A root that calls tools, each with another input. Returns the id of the trace. */
async function exportTrace(count: number): Promise<string> {
  const otelTraceId = randomBytes(16).toString("hex");
  const root = randomBytes(8).toString("hex");
  const startTimeUnixNano = String(BigInt(Date.now()) * 1_000_000n);
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: otelTraceId,
    spanId: index === 0 ? root : randomBytes(8).toString("hex"),
    ...(index > 0 && { parentSpanId: root }),
    name: index === 0 ? "long-journey" : `step ${index}`,
    startTimeUnixNano,
    endTimeUnixNano: String(BigInt(startTimeUnixNano) + 1_000_000n),
    attributes: [{ key: "input.value", value: { stringValue: `What comes after ${index}?` } }],
  }));
  const client = createClient(system);
  const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  expect((await client.send("POST", "/otel/v1/traces", body)).status).toBe(200);
  const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", "/ingest/traces");
  return traces[0]?._id as string;
}

const overHttp = (query = "", apiKey = system.apiKey) =>
  new StreamableHTTPClientTransport(new URL(`${system.url}/mcp${query}`), {
    requestInit: { headers: { "x-api-key": apiKey } },
  });
const overStdio = (args: readonly string[] = [], env: Record<string, string> = {}) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp", ...args],
    env: { TOUCHSTONE_URL: system.url, TOUCHSTONE_API_KEY: system.apiKey, ...env },
  });

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport, mode: "legacy" | "auto") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

type Content = { content: { text: string }[]; isError?: boolean };

/** A page of the tree of the long trace. */
async function readPage(client: Client, offset: number | null) {
  const args = { traceId, ...(offset !== null && { offset }) };
  const { content } = (await client.callTool({ name: "get_trace", arguments: args })) as Content;
  expect(content.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(answerMaxChars);
  const facts = JSON.parse(content[0]?.text ?? "") as { steps: number; next: number | null };
  return { ...facts, tree: content[1]?.text ?? "" };
}

test("a trace of 3,000 spans is read page by page, to the last step", async () => {
  const client = await connect(overHttp(), "auto");
  let next: number | null = null;
  let whole = "";
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(client, next);
    next = page.next;
    whole += page.tree;
  } while (next !== null);
  for (const index of [1, 1_500, 2_999]) expect(whole).toMatch(new RegExp(`\\bstep ${index} \\(`));
});

describe.each([
  ["HTTP", () => overHttp(), () => overHttp("?write=1")],
  ["the command", () => overStdio(), () => overStdio(["--write"])],
] as const)("over %s", (_name, reading, writing) => {
  test.each(["legacy", "auto"] as const)(
    "a client that negotiates as %s lists the tools and calls one",
    async (mode) => {
      const client = await connect(reading(), mode);

      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("get_trace");
      expect(JSON.stringify(tools).length).toBeLessThan(12_000);
      const { steps, next, tree } = await readPage(client, null);
      expect(steps).toBe(3_000);
      expect(next).not.toBeNull();
      expect(tree).toMatch(/\bstep \d+ \(/);
    },
  );

  test("tools that write are there when they are asked for", async () => {
    const names = async (transport: ReturnType<typeof reading>) =>
      (await (await connect(transport, "auto")).listTools()).tools.map(({ name }) => name);

    expect(await names(reading())).not.toContain("add_score");
    expect(await names(writing())).toContain("add_score");
  });

  test("an answer that the API refuses is the text of an error", async () => {
    const client = await connect(reading(), "auto");
    expect(await client.callTool({ name: "get_trace", arguments: { traceId: "unknown" } })).toMatchObject({
      isError: true,
      content: [{ text: "Trace not found" }],
    });
    await expect(client.callTool({ name: "unknown", arguments: {} })).rejects.toThrow("unknown");
  });
});

test("an agent submits answers as long as its tool says", async () => {
  const api = createClient(system);
  const questions = ["France", "Italy"].map((country) => ({ main_question: { query: `Capital of ${country}?` } }));
  const body = { name: "long answers", jaccardSimilarity: { enabled: true }, questions };
  const { _id } = await api.expect({ status: 201, schema: dataset }, "POST", `${evaluations}/datasets`, body);
  const client = await connect(overHttp("?write=1"), "auto");
  const call = async (name: string, args: object) => {
    const { content } = (await client.callTool({ name, arguments: { ...args } })) as Content;
    return JSON.parse(content[0]?.text ?? "");
  };
  const { runId } = await call("start_run", { datasetId: _id });
  const answers = [0, 1].map((at) => ({ case: at, answer: "都".repeat(50_000) }));
  expect(await call("submit_answers", { runId, answers })).toMatchObject({ accepted: 2, missing: 0 });
});

test("an agent starts a run, answers its questions and is graded", async () => {
  const api = createClient(system);
  const questions = ["France", "Italy"].map((country) => ({
    main_question: { query: `Capital of ${country}?`, expectedResults: "secret" },
  }));
  const body = { name: "capitals", jaccardSimilarity: { enabled: true }, questions };
  const { _id } = await api.expect({ status: 201, schema: dataset }, "POST", `${evaluations}/datasets`, body);
  const client = await connect(overHttp("?write=1"), "auto");
  const call = async (name: string, args: object) => {
    const { content, isError } = (await client.callTool({ name, arguments: { ...args } })) as Content;
    const [facts, recorded] = content.map(({ text }) => text);
    return { isError, facts: facts?.startsWith("{") ? JSON.parse(facts) : facts, recorded };
  };

  const started = await call("start_run", { datasetId: _id, name: "helper" });
  expect(started.facts).toMatchObject({ status: "in_progress", missing: 2, shown: 2 });
  expect(started.recorded).toContain("Capital of Italy?");
  expect(started.recorded).not.toContain("secret");
  const { runId } = started.facts;
  const first = await call("submit_answers", { runId, answers: [{ case: 1, answer: "Rome" }] });
  expect(first.facts).toMatchObject({ accepted: 1, missing: 1, status: "in_progress" });
  const left = await call("start_run", { runId });
  expect(left.facts).toMatchObject({ runId, missing: 1 });
  expect(left.recorded).toContain("Capital of France?");
  const last = await call("submit_answers", { runId, answers: [{ case: 0, error: "no idea" }], finish: true });
  expect(last.facts).toMatchObject({ accepted: 1, missing: 0, status: "completed" });

  const read = await api.expect({ status: 200, schema: run }, "GET", `${evaluations}/runs/${runId}`);
  expect(read).toMatchObject({ evaluationSubject: { displayName: "helper" }, status: "completed" });
  expect(read.results).toMatchObject([
    { questionIndex: 0, status: "failed", error: { message: "no idea" } },
    { questionIndex: 1, output: { text: "Rome" }, jaccardSimilarity: 0 },
  ]);
  const late = await call("submit_answers", { runId, answers: [{ case: 0, answer: "Paris" }] });
  expect(late).toMatchObject({ isError: true, facts: "Run is already in a terminal state" });
  const unknown = await call("start_run", { datasetId: crypto.randomUUID() });
  expect(unknown).toMatchObject({ isError: true, facts: "Dataset not found" });
  const bare = { status: 201, schema: dataset };
  const empty = await api.expect(bare, "POST", `${evaluations}/datasets`, { name: "empty", questions: [] });
  const refused = await call("start_run", { datasetId: empty._id });
  expect(refused.facts).toEqual({ error: "The dataset has no cases. Add some first. No run was started." });
  const { runs } = (await api.send("GET", `${evaluations}/runs?datasetId=${empty._id}`)).body as { runs: unknown[] };
  expect(runs).toEqual([]);
});

test("the command says why a client cannot be served", async () => {
  await expect(connect(overStdio([], { TOUCHSTONE_API_KEY: "ts_unknown" }), "legacy")).rejects.toThrow(
    /401.*TOUCHSTONE_API_KEY/,
  );
  await expect(connect(overStdio(["--url", "http://127.0.0.1:9"]), "legacy")).rejects.toThrow(/cannot be reached/);
});
