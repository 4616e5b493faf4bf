import { LangfuseSpanProcessor } from "@langfuse/otel";
import { setLangfuseTracerProvider } from "@langfuse/tracing";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import {
  comparedRuns,
  gate,
  judgeScorerReply,
  langfuseErrorBody,
  langfuseRunItem,
  rescoreRunReply,
  resultList,
  run as runSchema,
  scoreList,
  traceDetail,
  traceList,
} from "@touchstone/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { basic, type LangfuseClients, langfuseClients } from "../src/langfuse-clients.ts";
import { useJudged } from "../src/use-combined.ts";

let langfuse: LangfuseClients;
let provider: BasicTracerProvider;
let processor: LangfuseSpanProcessor;

const runs = "/custom-agent-evaluations/runs";
const capitals = { France: "Paris", Italy: "Rome", Spain: "Madrid" } as const;

const { llm, system, client } = useJudged(({ prompt }) => ({
  kind: "verdict",
  rating: prompt.includes("I do not know") ? 2 : 9,
  justification: "As scripted.",
}));

beforeAll(() => {
  langfuse = langfuseClients(system.url, system.apiKey);
  processor = new LangfuseSpanProcessor({ publicKey: "pk-lf-any", secretKey: system.apiKey, baseUrl: system.url });
  provider = new BasicTracerProvider({ spanProcessors: [processor] });
  setLangfuseTracerProvider(provider);
});

afterAll(async () => {
  await provider?.shutdown();
  await langfuse?.v3.shutdownAsync();
  await langfuse?.v5.shutdown();
});

let asked = 0;
beforeEach(() => {
  asked = llm.requests.length;
});

const asJson = () => ({ authorization: basic(system.apiKey), "content-type": "application/json" });

async function makeCapitals(name: string) {
  const { id } = await langfuse.v5.api.datasets.create({ name });
  for (const [country, capital] of Object.entries(capitals)) {
    const input = { q: `Capital of ${country}?` };
    const item = { datasetName: name, id: `${name} ${country}`, input, expectedOutput: capital };
    await langfuse.v5.api.datasetItems.create(item);
  }
  return id;
}

const readRun = (id: string) => client.expect({ status: 200, schema: runSchema }, "GET", `${runs}/${id}`);
const rescore = (id: string, body?: unknown) =>
  client.expect({ status: 200, schema: rescoreRunReply }, "POST", `${runs}/${id}/rescore`, body);
const readGate = (id: string, query: string) =>
  client.expect({ status: 200, schema: gate }, "GET", `${runs}/${id}/gate?${query}`);

/** Runs an experiment as the manual of Langfuse does; an agent that knows nothing says so. */
async function experiment(datasetName: string, knows: boolean) {
  const dataset = await langfuse.v5.dataset.get(datasetName);
  const result = await dataset.runExperiment({
    name: knows ? "good" : "bad",
    description: "As in the manual",
    metadata: { commit: "abc" },
    maxConcurrency: 3,
    task: async ({ expectedOutput }) => (knows ? expectedOutput : "I do not know"),
    evaluators: [async ({ output, expectedOutput }) => ({ name: "exact", value: output === expectedOutput ? 1 : 0 })],
    runEvaluators: [async ({ itemResults }) => ({ name: "answered", value: itemResults.length })],
  });
  const { datasetRunId = "", runName } = result;
  return { id: datasetRunId, runName, url: result.datasetRunUrl };
}

/** Spans and scores are sent by themselves, later. */
const flush = () => Promise.all([processor.forceFlush(), langfuse.v5.flush()]);

describe("an experiment of version 5", () => {
  test("is a run whose rows have the outputs and scores of their traces, and no rating", async () => {
    await makeCapitals("plain");
    const { id, runName } = await experiment("plain", true);
    await flush();

    const read = await readRun(id);

    expect(read).toMatchObject({
      runSource: "external",
      status: "completed",
      datasetName: "plain",
      averageRating: null,
      resultCount: 3,
      askedCount: null,
      skips: [{ code: "scored_by_client", count: 3 }],
      evaluationSubject: { displayName: runName, description: "As in the manual", metadata: { commit: "abc" } },
    });
    expect(read.results.map(({ questionText, output }) => [questionText, output?.text])).toEqual(
      Object.entries(capitals).map(([country, capital]) => [`{"q":"Capital of ${country}?"}`, capital]),
    );
    for (const { traceId, ...row } of read.results) {
      expect(row).toMatchObject({
        status: "skipped",
        rating: null,
        justification: "Not judged: scored by the client.",
        latencyMs: expect.any(Number),
        runNumber: 1,
      });
      const path = `/ingest/traces/${traceId}`;
      const detail = await client.expect({ status: 200, schema: traceDetail }, "GET", path);
      expect(detail).toMatchObject({ scores: [{ name: "exact", value: 1 }] });
    }
    const path = "/ingest/traces?source=eval-run&limit=100";
    const { traces } = await client.expect({ status: 200, schema: traceList }, "GET", path);
    expect(traces.map(({ _id }) => _id)).toEqual(expect.arrayContaining(read.results.map(({ traceId }) => traceId)));
    const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", `/scores?runId=${id}`);
    expect(scores).toMatchObject([{ name: "answered", value: 3 }]);
    expect(llm.requests).toHaveLength(asked);
  });

  test("shows an output as soon as its trace is stored, wherever the run is read", async () => {
    await makeCapitals("late");
    const { id } = await experiment("late", true);

    const before = await readRun(id);
    // Spans are exported in batches of their own: some may have arrived.
    expect(before.resultCount).toBe(3);
    const waiting = before.results.filter(({ output }) => output === null);
    for (const row of waiting) expect(row).toMatchObject({ skipCode: "awaiting_output", status: "skipped" });
    await flush();

    const listed = await client.expect({ status: 200, schema: resultList }, "GET", `${runs}/${id}/results`);
    expect(listed.results.map(({ output }) => output?.text)).toEqual(Object.values(capitals));
    const headers = { "x-api-key": system.apiKey };
    const lines = await (await fetch(`${system.url}/api/v1/export/run-results`, { headers })).text();
    const exported = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ runId }) => runId === id);
    expect(exported.map(({ output, caseId }) => [caseId, output.text]).toSorted()).toEqual(
      Object.entries(capitals).map(([country, capital]) => [`late ${country}`, capital]),
    );
  });

  test("becomes a judged run by rescoring, which can be compared and gated", async () => {
    await makeCapitals("judged");
    const good = await experiment("judged", true);
    const bad = await experiment("judged", false);
    await flush();
    expect(await readGate(good.id, "failUnder=7")).toMatchObject({ passed: false, averageRating: null });

    expect(await rescore(good.id)).toMatchObject({
      rescored: 3,
      stillSkipped: 0,
      averageRating: 9,
      scoringRevision: 1,
    });
    // No run was judged before this one, so there is nothing to compare it with.
    expect(await readGate(good.id, "noRegression=true")).toMatchObject({ baselineRunId: null, passed: true });
    const name = { status: 201, schema: judgeScorerReply };
    const criteria = { name: "Knows it", judge: { acceptanceCriteria: "Names the capital." } };
    const { judgeScorer } = await client.expect(name, "POST", "/agent-monitoring/judge-scorers", criteria);
    const graders = { evaluationSettingsId: judgeScorer._id };
    expect(await rescore(bad.id, graders)).toMatchObject({ rescored: 3, averageRating: 2 });

    expect(llm.requests.slice(asked).map(({ prompt }) => prompt)).toContainEqual(
      expect.stringContaining("Names the capital."),
    );
    const read = await readRun(bad.id);
    expect(read).toMatchObject({ evaluationSettingsId: judgeScorer._id, runSource: "external" });
    expect(read.results[0]).toMatchObject({ status: "scored", rating: 2, output: { text: "I do not know" } });
    const query = `baseline=${good.id}&candidate=${bad.id}`;
    const schema = { status: 200, schema: comparedRuns };
    const compared = await client.expect(schema, "GET", `/evaluate/runs/compare?${query}`);
    expect(compared.cases.map(({ delta, expected }) => [expected, delta])).toEqual(
      Object.values(capitals).map((capital) => [capital, -7]),
    );
    expect(await readGate(bad.id, "failUnder=7&noRegression=true")).toMatchObject({
      passed: false,
      averageRating: 2,
      baselineRunId: good.id,
      baselineAverage: 9,
    });
    // Asked for again, the same graders change nothing; others would mix with their ratings.
    expect(await rescore(bad.id, graders)).toMatchObject({ rescored: 0, stillSkipped: 0 });
    const refused = await client.send("POST", `${runs}/${good.id}/rescore`, graders);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: "The run has ratings already: its graders stay as they are" },
    });
  });

  test("is gated by the scores of its evaluators, without any judge", async () => {
    await makeCapitals("metric");
    const good = await experiment("metric", true);
    const bad = await experiment("metric", false);
    await flush();

    expect(await readGate(good.id, "metric=exact&failUnder=1")).toMatchObject({ passed: true, averageRating: 1 });
    expect(await readGate(bad.id, "metric=exact&noRegression=true&tolerance=0.1")).toMatchObject({
      passed: false,
      averageRating: 0,
      baselineRunId: good.id,
    });
    expect(llm.requests).toHaveLength(asked);
  });

  test("is read back by Langfuse's own client", async () => {
    const datasetId = await makeCapitals("read back");
    const { id, runName } = await experiment("read back", true);
    const { api } = langfuse.v5;

    const read = await api.datasets.getRun("read back", runName);

    expect(read).toMatchObject({ id, name: runName, datasetId, datasetName: "read back", metadata: { commit: "abc" } });
    expect(read.datasetRunItems.map(({ datasetItemId }) => datasetItemId).toSorted()).toEqual(
      Object.keys(capitals).map((country) => `read back ${country}`),
    );
    const page = await api.datasetRunItems.list({ datasetId, runName, limit: 2, page: 2 });
    expect(page).toMatchObject({ data: [{ datasetRunId: id }], meta: { totalItems: 3, totalPages: 2 } });
    const { data, meta } = await api.datasets.getRuns("read back");
    expect([data.map((one) => one.id), meta.totalItems]).toEqual([[id], 1]);
    await expect(api.datasets.getRun("read back", "none")).rejects.toMatchObject({
      statusCode: 404,
      body: { message: "Dataset run not found", error: "NotFoundError" },
    });
    await expect(api.datasets.getRuns("no such dataset")).rejects.toMatchObject({ statusCode: 404 });
  });

  test("is deleted by Langfuse's own client, without its traces; another run may take the name", async () => {
    await makeCapitals("deleted / set");
    const { id, runName } = await experiment("deleted / set", true);
    await flush();
    const { results } = await readRun(id);
    const { api } = langfuse.v5;

    expect(await api.datasets.deleteRun("deleted / set", runName)).toMatchObject({ message: "Dataset run deleted" });

    const gone = { statusCode: 404, body: { message: "Dataset run not found", error: "NotFoundError" } };
    await expect(api.datasets.deleteRun("deleted / set", runName)).rejects.toMatchObject(gone);
    expect((await client.send("GET", `${runs}/${id}`)).status).toBe(404);
    expect((await client.send("GET", `/ingest/traces/${results[0]?.traceId}`)).status).toBe(200);
    const item = { runName, datasetItemId: "deleted / set Italy", traceId: "again" };
    const linked = await langfuse.ask("/dataset-run-items", asJson(), "POST", item);
    expect(langfuseRunItem.parse(linked.body).datasetRunId).not.toBe(id);
  });
});

describe("a run of version 3, item by item", () => {
  async function linkAll(datasetName: string, runName: string) {
    const { items } = await langfuse.v3.getDataset(datasetName);
    return Promise.all(
      items.map(async (item) => {
        const trace = langfuse.v3.trace({ name: "run", input: item.input, output: item.expectedOutput });
        const linked = await item.link(trace, runName, { description: "d", metadata: { sha: "a" } });
        trace.score({ name: "exact", value: 1 });
        return linked as unknown as { id: string; datasetRunId: string };
      }),
    );
  }

  test("links at the same time make one run; the outputs come from the traces, and so do the scores", async () => {
    await makeCapitals("linked");
    const linked = await linkAll("linked", "run-1");
    const ids = new Set(linked.map(({ datasetRunId }) => datasetRunId));
    expect(ids.size).toBe(1);
    await langfuse.v3.flushAsync();

    const [id = ""] = ids;
    const read = await readRun(id);

    expect(read.results.map(({ output }) => output?.text)).toEqual(Object.values(capitals));
    expect(await readGate(id, "metric=exact&failUnder=1")).toMatchObject({ passed: true, resultCount: 3 });
    expect(await rescore(id)).toMatchObject({ rescored: 3, averageRating: 9 });
  });

  test("a run takes items after it was judged: they are not rated until it is rescored", async () => {
    await makeCapitals("growing");
    const [first] = await linkAll("growing", "nightly");
    await langfuse.v3.flushAsync();
    const id = first?.datasetRunId ?? "";
    await rescore(id);
    await langfuse.v3.createDatasetItem({
      datasetName: "growing",
      id: "growing Peru",
      input: "Peru?",
      expectedOutput: "Lima",
    });

    await linkAll("growing", "nightly");
    await langfuse.v3.flushAsync();

    const read = await readRun(id);
    expect(read).toMatchObject({
      resultCount: 7,
      averageRating: 9,
      liveStatistics: { ratedCount: 3, skippedCount: 4 },
    });
    expect(read.results.map(({ questionIndex, runNumber }) => [questionIndex, runNumber])).toEqual([
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
      [3, 1],
    ]);
    expect(read.results.at(-1)).toMatchObject({ questionText: "Peru?", output: { text: "Lima" } });
    expect(await rescore(id)).toMatchObject({ rescored: 4, stillSkipped: 0, scoringRevision: 2 });
  });

  test("the same item and trace are one row, however often and however concurrently they are sent", async () => {
    await makeCapitals("repeated");
    const body = { runName: "again", datasetItemId: "repeated Italy", traceId: "any text, é" };
    const send = async (more = {}) => {
      const answer = await langfuse.ask("/dataset-run-items", asJson(), "POST", { ...body, ...more });
      expect(answer.status).toBe(200);
      return langfuseRunItem.parse(answer.body);
    };

    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => send()));

    for (const other of others) expect(other).toEqual(first);
    expect(first).toMatchObject({
      datasetRunName: "again",
      datasetItemId: body.datasetItemId,
      traceId: body.traceId,
      observationId: null,
    });
    const changed = await send({ runDescription: "new", metadata: { n: 1.0 } });
    expect(changed).toEqual(first);
    const found = await langfuse.v5.api.datasets.getRun("repeated", "again");
    expect(found).toMatchObject({ description: "new", metadata: { n: 1 }, datasetRunItems: [{ id: first?.id }] });
    // Without a trace there is nothing to judge, and nothing is lost.
    expect(await rescore(first?.datasetRunId ?? "")).toMatchObject({ rescored: 0, stillSkipped: 1, remaining: 0 });
  });

  test("the output of an observation counts where one is named", async () => {
    await makeCapitals("observed");
    const trace = langfuse.v3.trace({ id: "order 8", name: "with-steps", output: "of the trace" });
    const step = trace.span({ id: "step one", name: "step" });
    const item = { runName: "steps", datasetItemId: "observed Spain", traceId: "order 8", observationId: "step one" };
    const answer = await langfuse.ask("/dataset-run-items", asJson(), "POST", item);
    const { datasetRunId } = langfuseRunItem.parse(answer.body);
    await langfuse.v3.flushAsync();
    expect((await readRun(datasetRunId)).results).toMatchObject([{ output: null, skipCode: "awaiting_output" }]);

    step.end({ output: "of the step" });
    await langfuse.v3.flushAsync();

    expect((await readRun(datasetRunId)).results).toMatchObject([{ output: { text: "of the step" } }]);
  });

  test("mistakes are named in Langfuse's envelope and store nothing", async () => {
    await makeCapitals("mistaken");
    const item = { runName: "r", datasetItemId: "mistaken Italy", traceId: "t" };
    const mistakes = [
      [{ ...item, datasetItemId: "none" }, 404, "Dataset item not found"],
      [{ ...item, datasetItemId: `${crypto.randomUUID()}:0` }, 404, "Dataset item not found"],
      [{ ...item, runName: undefined }, 400, "runName is required"],
      [{ ...item, runName: "x".repeat(513) }, 400, "runName must be text of 1 to 512 characters"],
      [{ ...item, traceId: "\u0000" }, 400, "traceId must be text of 1 to 512 characters"],
      [{ ...item, createdAt: "yesterday" }, 400, "createdAt must be an ISO 8601 date from 1970 to 9999"],
      [{ ...item, createdAt: "0000-01-01T00:00:00Z" }, 400, "createdAt must be an ISO 8601 date from 1970 to 9999"],
      [
        { ...item, metadata: "x".repeat(65 * 1024) },
        400,
        "runDescription and metadata must have at most 64 KiB together",
      ],
    ] as const;
    for (const [body, status, message] of mistakes) {
      const answer = await langfuse.ask("/dataset-run-items", asJson(), "POST", body);
      expect([answer.status, langfuseErrorBody.parse(answer.body).message]).toEqual([status, message]);
    }
    expect((await langfuse.v5.api.datasets.getRuns("mistaken")).data).toEqual([]);
    const unnamed = await langfuse.ask("/dataset-run-items?runName=r", asJson());
    expect(unnamed).toMatchObject({ status: 400, body: { message: "datasetId and runName are required" } });
  });

  test("an item that was refused does not keep its id from other datasets", async () => {
    await makeCapitals("refusing");
    await langfuse.v5.api.datasets.create({ name: "accepting" });
    const create = (datasetName: string, status: string) =>
      langfuse.ask("/dataset-items", asJson(), "POST", { datasetName, id: "refused", input: 1, status });
    expect(await create("refusing", "NONE")).toMatchObject({ status: 400 });
    expect(await create("accepting", "ACTIVE")).toMatchObject({ status: 200, body: { datasetName: "accepting" } });
    expect(await create("refusing", "ACTIVE")).toMatchObject({ status: 409 });
  });
});
