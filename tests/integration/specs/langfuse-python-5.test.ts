import { createHash, randomBytes } from "node:crypto";
import {
  gate,
  langfuseRunWithItems,
  langfuseScoresAccepted,
  langfuseScoresReply,
  resultList,
  run as runSchema,
  scoreList,
} from "@touchstone/contracts";
import { beforeAll, expect, test } from "vitest";
import { basic, type LangfuseClients, langfuseClients, readOnlyTrace } from "../src/langfuse-clients.ts";
import { useCombined } from "../src/use-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/**
 * Version 5 of Langfuse's client for Python sends no items of runs: the spans of an experiment say what belongs together. It sends scores
 * as lists. These are its requests, as version 5.0.4 makes them.
 */
let langfuse: LangfuseClients;

const { system, client } = useCombined();

beforeAll(() => {
  langfuse = langfuseClients(system.url, system.apiKey);
});

const asJson = () => ({ authorization: basic(system.apiKey), "content-type": "application/json" });

interface Experiment {
  id: string;
  name: string;
  datasetId: string;
  metadata?: string;
}

/** The two spans of an item: the trace's, and below it the one whose output is the answer. */
async function sendItem(
  experiment: Experiment,
  itemId: string,
  answer: string,
  { traceId = hex(16), parent = "" } = {},
): Promise<string> {
  const [root, task] = [hex(8), hex(8)];
  const stated = {
    "langfuse.experiment.id": experiment.id,
    "langfuse.experiment.name": experiment.name,
    "langfuse.experiment.dataset.id": experiment.datasetId,
    "langfuse.experiment.item.id": itemId,
    "langfuse.experiment.item.root_observation_id": task,
    "langfuse.experiment.description": "As in the manual",
    ...(experiment.metadata !== undefined && { "langfuse.experiment.metadata": experiment.metadata }),
    "langfuse.observation.metadata.team": '"blue"',
    "langfuse.observation.metadata.level": "3",
  };
  const described = (output: string) => ({ ...stated, "langfuse.observation.output": output });
  await sendSpans(traceId, [
    { spanId: root, parentSpanId: parent, name: "experiment-item-run", stated: described("all") },
    { spanId: task, parentSpanId: root, name: "experiment-item-task", stated: described(answer) },
  ]);
  return traceId;
}

interface SentSpan {
  spanId: string;
  parentSpanId: string;
  name: string;
  stated: Record<string, string>;
}

async function sendSpans(traceId: string, sent: readonly SentSpan[]): Promise<void> {
  const spans = sent.map(({ stated, ...span }) => ({
    ...{ traceId, ...span },
    startTimeUnixNano: "1790000000000000000",
    endTimeUnixNano: "1790000001000000000",
    attributes: attributesOf({ ...stated, "langfuse.observation.type": "span" }),
  }));
  const body = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ "telemetry.sdk.language": "python" }) },
        scopeSpans: [{ scope: { name: "langfuse-sdk", version: "5.0.4" }, spans }],
      },
    ],
  };
  expect((await langfuse.ask("/otel/v1/traces", asJson(), "POST", body)).status).toBe(200);
}

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));

async function makeDataset(name: string): Promise<string> {
  const { id } = await langfuse.v5.api.datasets.create({ name });
  for (const country of ["France", "Italy"]) {
    await langfuse.v5.api.datasetItems.create({ datasetName: name, id: `${name} ${country}`, input: country });
  }
  return id;
}

/** The id that version 5 gives the run of a name. */
const idOf = (datasetId: string, name: string): string =>
  createHash("sha256").update(`${datasetId} ${name}`).digest("hex").slice(0, 16);

async function readRun(dataset: string, name: string, items: number) {
  const path = `/datasets/${encodeURIComponent(dataset)}/runs/${encodeURIComponent(name)}`;
  let body: unknown;
  await waitUntil(`${name} has ${items} items`, async () => {
    ({ body } = await langfuse.ask(path, asJson()));
    return langfuseRunWithItems.parse(body).datasetRunItems.length === items;
  });
  return langfuseRunWithItems.parse(body);
}

const runs = "/custom-agent-evaluations/runs";

test("an experiment that comes as spans alone is a run with their outputs and scores; a score of the run may come first", async () => {
  const datasetId = await makeDataset("spans");
  const experiment = { id: idOf(datasetId, "a / b"), name: "a / b", datasetId, metadata: '{"t": 1.0}' };
  const ofRun = { id: "of-run", name: "answered", value: 2, datasetRunId: experiment.id };
  expect((await langfuse.ask("/scores", asJson(), "POST", [ofRun])).status).toBe(202);
  const first = await sendItem(experiment, "spans France", "Paris");
  await sendItem(experiment, "spans Italy", "Rome");
  await sendItem(experiment, "of no dataset", "Oslo");
  await langfuse.ask("/scores", asJson(), "POST", [{ name: "exact", value: 1, traceId: first }]);

  const { id, metadata, description } = await readRun("spans", "a / b", 2);
  expect([description, metadata]).toEqual(["As in the manual", { t: 1 }]);
  const read = await client.expect({ status: 200, schema: runSchema }, "GET", `${runs}/${id}`);
  expect(read).toMatchObject({ runSource: "external", datasetName: "spans", resultCount: 2 });
  const { results } = await client.expect({ status: 200, schema: resultList }, "GET", `${runs}/${id}/results`);
  expect(results.map(({ output }) => output?.text).toSorted()).toEqual(["Paris", "Rome"]);
  const { scores } = await client.expect({ status: 200, schema: scoreList }, "GET", `/scores?runId=${id}`);
  expect(scores).toMatchObject([{ id: "of-run", value: 2 }]);
  const gated = await client.expect(
    { status: 200, schema: gate },
    "GET",
    `${runs}/${id}/gate?metric=exact&failUnder=1`,
  );
  expect(gated).toMatchObject({ passed: true, averageRating: 1 });
});

test("spans that come again add nothing, and another trace of an item is its next repetition", async () => {
  const datasetId = await makeDataset("again");
  const experiment = { id: idOf(datasetId, "twice"), name: "twice", datasetId };
  const traceId = await sendItem(experiment, "again France", "Paris");
  const { id } = await readRun("again", "twice", 1);
  await sendItem(experiment, "again France", "Paris", { traceId });
  await sendItem({ ...experiment, name: "renamed" }, "again France", "Lyon");
  await readRun("again", "twice", 2);

  const { results } = await client.expect({ status: 200, schema: resultList }, "GET", `${runs}/${id}/results`);
  expect(results.map(({ runNumber }) => runNumber).toSorted()).toEqual([1, 2]);
});

test("an experiment inside a span of the user's program is a run, though all its items are in one trace", async () => {
  const datasetId = await makeDataset("nested");
  const experiment = { id: idOf(datasetId, "inside"), name: "inside", datasetId };
  const [traceId, parent] = [hex(16), hex(8)];
  await sendSpans(traceId, [{ spanId: parent, parentSpanId: "", name: "nightly", stated: {} }]);
  await sendItem(experiment, "nested France", "Paris", { traceId, parent });
  await sendItem(experiment, "nested Italy", "Rome", { traceId, parent });

  const { id } = await readRun("nested", "inside", 2);
  const { results } = await client.expect({ status: 200, schema: resultList }, "GET", `${runs}/${id}/results`);
  expect(results.map(({ output }) => output?.text).toSorted()).toEqual(["Paris", "Rome"]);
});

test("a name that another client's run has gets the id of the experiment behind it", async () => {
  const datasetId = await makeDataset("taken");
  const item = { runName: "mine", datasetItemId: "taken France", traceId: hex(16) };
  await langfuse.ask("/dataset-run-items", asJson(), "POST", item);
  await sendItem({ id: "0123456789abcdef", name: "mine", datasetId }, "taken Italy", "Rome");

  await readRun("taken", "mine (0123456789abcdef)", 1);
  await readRun("taken", "mine", 1);
});

test("two experiments of one name that arrive together are two runs", async () => {
  const datasetId = await makeDataset("parallel");
  const experiments = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"].map((id) => ({ id, name: "main", datasetId }));
  await Promise.all(experiments.map((experiment) => sendItem(experiment, "parallel Italy", "Rome")));

  let names: string[] = [];
  await waitUntil("there are two runs", async () => {
    const { body } = await langfuse.ask("/datasets/parallel/runs", asJson());
    names = (body as { data: { name: string }[] }).data.map(({ name }) => name).toSorted();
    return names.length === 2;
  });
  expect(names).toEqual(["main", expect.stringMatching(/^main \((a{16}|b{16})\)$/)]);
  for (const name of names) await readRun("parallel", name, 1);
});

test("a run that its client makes item by item, and deletes, is not made again by its spans", async () => {
  const datasetId = await makeDataset("deleted");
  const item = { runName: "gone", datasetItemId: "deleted France", traceId: hex(16) };
  const made = await langfuse.ask("/dataset-run-items", asJson(), "POST", item);
  const { datasetRunId } = made.body as { datasetRunId: string };
  expect((await langfuse.ask("/datasets/deleted/runs/gone", asJson(), "DELETE")).status).toBe(200);
  await sendItem({ id: datasetRunId, name: "gone", datasetId }, "deleted France", "Paris", { traceId: item.traceId });
  // It settles after the one before.
  await sendItem({ id: idOf(datasetId, "next"), name: "next", datasetId }, "deleted France", "Paris");
  await readRun("deleted", "next", 1);

  expect((await langfuse.ask("/datasets/deleted/runs/gone", asJson())).status).toBe(404);
});

test("each score of a list is stored or named by its place", async () => {
  const traceId = hex(16);
  const scores = [
    { name: "fine", value: 1, traceId },
    { name: "no value", traceId },
    { name: "no target", value: 1 },
    "no score",
    { name: "fine too", value: "yes", dataType: "CATEGORICAL", traceId, metadata: { a: 1 } },
  ];
  const { status, body } = await langfuse.ask("/scores", asJson(), "POST", scores);

  expect(status).toBe(207);
  expect(langfuseScoresReply.parse(body)).toMatchObject({ accepted: 2, rejected: 3 });
  const messages = langfuseScoresReply.parse(body).errors.map(({ message }) => message);
  expect(messages.toSorted()).toEqual([
    "scores[1]: body.value must be a number, a text or a boolean",
    "scores[2]: traceId, spanId, sessionId, runId or caseId is required",
    "scores[3]: It must be an object",
  ]);
  const stored = await client.expect({ status: 200, schema: scoreList }, "GET", `/scores?traceId=${traceId}`);
  expect(stored.scores.map(({ name }) => name).toSorted()).toEqual(["fine", "fine too"]);
  const all = await langfuse.ask("/scores", asJson(), "POST", [scores[0]]);
  expect(all.status).toBe(202);
  langfuseScoresAccepted.parse(all.body);
  for (const sent of [[], Array.from({ length: 10_001 }, () => ({}))]) {
    expect(await langfuse.ask("/scores", asJson(), "POST", sent)).toMatchObject({
      status: 400,
      body: { message: "A list must have 1 to 10000 scores" },
    });
  }
});

test("entries of metadata that are quoted text become the text, and others stay JSON", async () => {
  const body = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ "telemetry.sdk.language": "python" }) },
        scopeSpans: ["5.0.4", "4.18.0"].map((version, index) => ({
          scope: { name: "langfuse-sdk", version },
          spans: [
            {
              ...{ traceId: hex(16), spanId: hex(8), name: `version-${index}` },
              startTimeUnixNano: "1790000000000000000",
              endTimeUnixNano: "1790000001000000000",
              attributes: attributesOf({
                "langfuse.observation.type": "span",
                "langfuse.observation.metadata.team": '"blue"',
                "langfuse.trace.metadata.level": "3",
              }),
            },
          ],
        })),
      },
    ],
  };
  await langfuse.ask("/otel/v1/traces", asJson(), "POST", body);

  expect((await readOnlyTrace(client, "version-0")).detail.metadata).toMatchObject({ team: "blue", level: "3" });
  expect((await readOnlyTrace(client, "version-1")).detail.metadata).toMatchObject({ team: '"blue"', level: "3" });
});
