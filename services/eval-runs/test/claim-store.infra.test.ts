import { randomUUID } from "node:crypto";
import { type Database, migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClaimStore } from "../src/results/claim-store.ts";
import { createRatingNews } from "../src/results/rating-news-store.ts";
import { digestKey, type ResultRow, type StoredResult } from "../src/results/stored-result.ts";
import { evalRunsSchema } from "../src/schema.ts";
import { defaultTimings } from "../src/timings.ts";
import { untilOneWaits } from "./conditions.ts";
import { quiet } from "./start-eval-runs.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  await migrateSchema({ url: server.url, ...evalRunsSchema, logger: quiet });
  database = openDatabase({
    url: server.url,
    role: rolesOf("evals").app,
    applicationName: "test",
    connectionsMax: 3,
    statementTimeoutMs: 5_000,
    logger: quiet,
  });
});

afterAll(async () => {
  await database.close();
  await server.drop();
});

/** A run in the given state, as a batch meets it that looked before the state changed. */
async function putRun(state: {
  status: string;
  closingAs: string | null;
}): Promise<{ projectId: string; runId: string }> {
  const [projectId, datasetId, runId] = [randomUUID(), randomUUID(), randomUUID()];
  await database.scoped([projectId], async (transaction) => {
    await transaction.query({
      name: "put_version",
      text: `
        insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
        values ($1, $2, 1, '{}', now())`,
      values: [projectId, datasetId],
    });
    await transaction.query({
      name: "put_run",
      text: `
        insert into evals.runs (project_id, id, dataset_id, dataset_version, run_source, status, closing_as, created_at)
        values ($1, $2, $3, 1, 'sdk', $4, $5, now())`,
      values: [projectId, runId, datasetId, state.status, state.closingAs],
    });
  });
  return { projectId, runId };
}

const traceId = randomUUID();

/** A result that says something of a trace. */
const build = (key: string): StoredResult => ({
  ...{ id: randomUUID(), keyDigest: digestKey(key), idempotencyKey: key, caseId: key, questionIndex: null },
  ...{ runNumber: 1, isVariant: false, status: "scored", skipReason: null, rating: 7, submittedContext: null },
  row: {} as ResultRow,
  ratings: [{ traceId, verdictId: key, scorerKind: "judge", scorerId: "t", scorerName: "Tone", rating: 7 }].map(
    (rating) => ({ ...rating, justification: "Fine.", model: null, scorerKind: "judge" as const }),
  ),
});

test.each([
  { status: "in_progress", closingAs: null, runIsOpen: true },
  { status: "in_progress", closingAs: "completed", runIsOpen: false },
  { status: "completed", closingAs: "completed", runIsOpen: false },
  { status: "failed", closingAs: null, runIsOpen: false },
])("a run that is $status and closing as $closingAs takes claims: $runIsOpen", async ({ runIsOpen, ...state }) => {
  const claims = createClaimStore(database, defaultTimings, createRatingNews({ isExporting: false }));
  const { projectId, runId } = await putRun(state);

  const result = build("a");
  const scope = { projectId, runId, holder: randomUUID() };
  const taken = await claims.take(scope, [result]);

  const claimed = runIsOpen ? { here: "mine", there: "held" } : { here: "unclaimed", there: "unclaimed" };
  expect(taken).toEqual({ runIsOpen, states: new Map([[result.keyDigest, { kind: claimed.here }]]) });
  const seen = await claims.look({ ...scope, holder: randomUUID() }, [result.keyDigest]);
  expect(seen).toEqual(new Map([[result.keyDigest, { kind: claimed.there }]]));
});

test("a run of another project takes no claims", async () => {
  const claims = createClaimStore(database, defaultTimings, createRatingNews({ isExporting: false }));
  const { runId } = await putRun({ status: "in_progress", closingAs: null });

  const taken = await claims.take({ projectId: randomUUID(), runId, holder: randomUUID() }, []);

  expect(taken.runIsOpen).toBe(false);
});

test("the ratings of traces are published with stored results, and only with those, where they are exported", async () => {
  const claims = createClaimStore(database, defaultTimings, createRatingNews({ isExporting: true }));
  const silent = createClaimStore(database, defaultTimings, createRatingNews({ isExporting: false }));
  const scope = { ...(await putRun({ status: "in_progress", closingAs: null })), holder: randomUUID() };
  const [claimed, lost, untold] = [build("claimed"), build("lost"), build("untold")];
  await claims.take(scope, [claimed, untold]);

  expect(await claims.finish(scope, [claimed, lost])).toEqual(new Set([claimed.keyDigest]));
  expect(await silent.finish(scope, [untold])).toEqual(new Set([untold.keyDigest]));

  const maintenance = openDatabase({
    url: server.url,
    role: rolesOf("evals").maintenance,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    logger: quiet,
  });
  const { rows } = await maintenance.query<{ body: string }>({
    name: "",
    text: "select body from evals.outbox where subject = 'event.results.rated.v1'",
    values: [],
  });
  await maintenance.close();
  expect(rows.flatMap(({ body }) => JSON.parse(body).results)).toEqual([
    expect.objectContaining({ projectId: scope.projectId, runId: scope.runId, traceId, verdictId: "claimed" }),
  ]);
});

test("a result that was stored while its claim was waited for is echoed, and nothing is left claimed", async () => {
  const claims = createClaimStore(database, defaultTimings, createRatingNews({ isExporting: false }));
  const run = await putRun({ status: "in_progress", closingAs: null });
  const first = { ...run, holder: randomUUID() };
  const second = { ...run, holder: randomUUID() };
  const result = build("a");
  await claims.take(first, [result]);

  let taking: ReturnType<typeof claims.take> | undefined;
  await database.scoped([run.projectId], async (transaction) => {
    // Like a batch that stores its result: the claim is gone and the row exists, but neither is visible yet.
    await transaction.query({
      name: "store_in_its_place",
      text: `
        with gone as (
          delete from evals.claims where run_id = $1 returning *
        )
        insert into evals.results (
          project_id, run_id, key_digest, id, idempotency_key, case_id, question_index, run_number, is_variant, status,
          rating, document
        )
        select
          project_id, run_id, key_digest, id, idempotency_key, case_id, question_index, run_number, is_variant, status,
          rating, document
        from gone`,
      values: [run.runId],
    });
    taking = claims.take(second, [result]);
    await untilOneWaits(database);
  });

  expect((await taking)?.states.get(result.keyDigest)).toMatchObject({ kind: "stored", result: { id: result.id } });
  const { rows } = await database.readScoped([run.projectId], {
    name: "claims_left",
    text: "select holder from evals.claims where run_id = $1",
    values: [run.runId],
  });
  expect(rows).toEqual([]);
});
