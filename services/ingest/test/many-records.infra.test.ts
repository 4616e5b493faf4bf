import { randomUUID } from "node:crypto";
import { evaluationsReceived, type ReceivedEvaluation } from "@touchstone/contracts";
import type { Database, Queryable, Statement, Transaction } from "@touchstone/db";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IncomingFragment } from "../src/model/incoming-fragment.ts";
import { createCostEstimator } from "../src/pricing/cost-estimator.ts";
import { createTraceSweep } from "../src/settling/sweep-traces.ts";
import { asTheyAre, type IngestDatabase, impatient, openIngestDatabase, silentLogger } from "./ingest-database.ts";
import { newProject, otlp, readAnnounced, readRoots, spanId, storeJob, traceId } from "./settling-bench.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

const sliceBytesMax = 16 * 1024 * 1024;
/** More than a slice, and more records than the impatient database reads on every export. */
const recordCount = 80;
const large = "x".repeat(300_000);

let database: IngestDatabase;

beforeAll(async () => {
  database = await openIngestDatabase();
});

afterAll(() => database?.close());

/** A record of the root, which is the only span of its trace. */
const record = (at: number, more: Partial<IncomingFragment>): IncomingFragment => ({
  key: randomUUID(),
  otelTraceId: traceId,
  spanId: spanId(1),
  responseId: null,
  timeNano: BigInt(at + 1),
  kind: "exception",
  facts: {},
  body: JSON.stringify({ order: { observedNano: "1", index: at } }),
  ...more,
});

async function storeTrace(projectId: string, recordAt: (at: number) => Partial<IncomingFragment>): Promise<void> {
  const job = await buildJob(projectId, [otlp(1, null, { kind: "llm" })]);
  const fragments = Array.from({ length: recordCount }, (_, at) => record(at, recordAt(at)));
  await storeJob(database, { ...job, fragments });
}

/** Runs the sweeper until nothing is due; answers the bytes of the largest result of a statement, and of all. */
async function sweepMeasured(): Promise<{ largest: number; whole: number }> {
  const read = { largest: 0, whole: 0 };
  const measure = <Answer extends { rows: readonly object[] }>(answer: Answer): Answer => {
    const bytes = answer.rows.reduce((sum, row) => sum + bytesOf(row), 0);
    read.largest = Math.max(read.largest, bytes);
    read.whole += bytes;
    return answer;
  };
  const query =
    (target: Queryable): Queryable["query"] =>
    async (statement) =>
      measure(await target.query(statement));
  const watched = (transaction: Transaction): Transaction => ({
    query: query(transaction),
    pipeline: async (statements) => {
      const answers = await transaction.pipeline(statements);
      for (const answer of answers as readonly { rows: object[] }[]) measure(answer);
      return answers as never;
    },
    finish: (statements) => transaction.finish(statements),
  });
  const { maintenance } = database;
  const measured: Database = {
    ...maintenance,
    query: query(maintenance),
    scoped: (projects, work) => maintenance.scoped(projects, (transaction) => work(watched(transaction))),
    readScoped: async (projects: readonly string[], statement: Statement | readonly Statement[]) =>
      measure(await maintenance.readScoped(projects, statement as Statement)) as never,
  };
  const options = { maintenance: measured, tracesPerDay: null, settings: impatient, logger: silentLogger };
  const sweep = createTraceSweep(options);
  while ((await sweep()) > 0);
  return read;
}

/** The models of the roots that failed. */
async function readFailedModels(projectId: string): Promise<(string | null)[]> {
  const query = { projectId, limit: 100, before: null, ...anyRoot, hasError: true };
  return (await database.store.listRoots(query, asTheyAre)).items.map(({ model }) => model);
}

/** The costs of the roots in USD, at the prices of the catalogue. */
async function estimateCosts(projectId: string): Promise<(number | null)[]> {
  const prices = { listChanges: async () => [], listUsedModels: async () => [] };
  const estimator = createCostEstimator({ reading: database.app, prices });
  const figures = await estimator.estimatePage(
    { projectId, organizationId: null },
    await readRoots(database, projectId),
  );
  return figures.map(({ costUSD }) => costUSD);
}

const bytesOf = (row: object): number =>
  Object.values(row).reduce(
    (sum, value) => sum + (Buffer.isBuffer(value) ? value.length : typeof value === "string" ? value.length : 8),
    0,
  );

describe("a trace with many large log records", () => {
  test("is derived without the texts of their errors", async () => {
    const projectId = newProject();
    await storeTrace(projectId, (at) => ({
      facts: { error: large, model: "gpt-5.6-sol", ...(at === 0 && { userId: large }) },
    }));

    const read = await sweepMeasured();

    expect(await readFailedModels(projectId)).toEqual(["gpt-5.6-sol"]);
    expect(await readRoots(database, projectId)).toMatchObject([{ derived: { userId: large.slice(0, 2_000) } }]);
    expect(read.whole).toBeLessThan(large.length);
  });

  test("is derived from facts that the previous version stored in slices of bounded size", async () => {
    const projectId = newProject();
    await storeTrace(projectId, () => ({}));
    await database.superuser.query({
      name: "",
      text: `
        update ingest.log_fragments
        set facts = json_build_object('kind', 'exception', 'error', $2::text, 'model', 'gpt-5.6-sol', 'inputTokens', 1000000,
          'outputTokens', 100000)
        where project_id = $1`,
      values: [projectId, large],
    });

    const read = await sweepMeasured();

    expect(await readFailedModels(projectId)).toEqual(["gpt-5.6-sol"]);
    expect(await estimateCosts(projectId)).toEqual([8]);
    expect(read.largest).toBeLessThan(sliceBytesMax + large.length);
  });

  test("settles with its evaluations, which are read in slices of bounded size", async () => {
    const projectId = newProject();
    await storeTrace(projectId, (at) => {
      const evaluation = { name: `grade ${at}`, explanation: large };
      return {
        kind: "evaluation",
        body: JSON.stringify({ order: { observedNano: "1", index: at }, evaluation }),
      };
    });

    const read = await sweepMeasured();

    const announced = await readAnnounced<ReceivedEvaluation>(database, projectId, evaluationsReceived);
    expect(announced.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: recordCount }, (_, at) => `grade ${at}`).sort(),
    );
    expect(read.largest).toBeLessThan(sliceBytesMax + large.length);
  });
});
