import { type Database, type Queryable, sqlStateOf, type Transaction } from "@touchstone/db";
import { dropReplaced } from "../datasets/dataset-change-store.ts";
import { digestValues, resultColumns, resultValues, selectSentResults } from "../results/result-row-store.ts";
import type { StoredResult } from "../results/stored-result.ts";
import { buildRunInsert, type NewRun } from "../runs/new-run-store.ts";

/** The name of a run: one in its dataset. */
export interface RunName {
  projectId: string;
  datasetId: string;
  name: string;
}

/** A run that was found by its name. */
export interface KnownRun {
  id: string;
  datasetId: string;
  datasetVersion: number;
  planRevision: number;
  /** JSON text. */
  subject: string;
}

/** What a client named in an item of a run, as it was sent. */
export interface ItemNames {
  caseId: string;
  traceId: string;
  observationId: string | null;
  /** Of the observation, in OpenTelemetry. */
  spanId: string | null;
}

/** An item to store. */
export interface NewItem extends ItemNames {
  keyDigest: string;
  questionIndex: number | null;
  createdAt: Date;
  /** Composes the result; `runNumber` says which repetition of the case it is. */
  compose(runNumber: number): StoredResult;
}

export interface StoredItem extends ItemNames {
  /** Of its result. */
  id: string;
  runId: string;
  createdAt: Date;
}

/** What becomes of a run when items are added. */
export interface RunChange {
  /** The run as it was found; with null the new one is made. */
  before: KnownRun | null;
  made: Omit<NewRun, "datasetVersion" | "evaluationSubject">;
  /** From now on. */
  datasetVersion: number;
  subject: string;
  /** When the change is made. */
  at: Date;
}

/**
 * Stores the items of external runs, which clients find by name. Writers to one run wait for each other.
 */
export interface NamedRunStore {
  find(run: RunName): Promise<KnownRun | null>;
  /** Whose an id is; null: no external run has or had it. The name is null if the run was deleted. */
  findById(projectId: string, runId: string): Promise<{ datasetId: string; name: string | null } | null>;
  /**
   * Adds items in their order, and makes or changes the run. An item with a known key is the stored one. Null: the run or its dataset
   * is no longer what the change was composed for; compose it again.
   */
  add(run: RunName, change: RunChange, items: readonly NewItem[]): Promise<AddedItems | null>;
}

interface AddedItems {
  /** In the order of the items that were added. */
  items: StoredItem[];
  results: StoredResult[];
}

export function createNamedRunStore(database: Database): NamedRunStore {
  return {
    async find({ projectId, datasetId, name }) {
      const { rows } = await database.readScoped<KnownRun>([projectId], {
        name: "named_run_find",
        text: knownRunText,
        values: [projectId, datasetId, name],
      });
      return rows[0] ?? null;
    },

    async findById(projectId, runId) {
      const { rows } = await database.readScoped<{ datasetId: string; name: string | null }>([projectId], {
        name: "named_run_find_by_id",
        text: `
          select dataset_id as "datasetId", name
          from evals.named_runs
          where project_id = $1
            and run_id = $2
          union all
          select dataset_id, null
          from evals.deleted_external_runs
          where project_id = $1
            and run_id = $2`,
        values: [projectId, runId],
      });
      return rows[0] ?? null;
    },

    add: (run, change, items) =>
      besideOthers(
        database.scoped([run.projectId], async (transaction) => {
          await transaction.query({
            name: "named_run_lock",
            text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
            values: [`evals.named_run ${run.projectId} ${run.datasetId} ${run.name}`],
          });
          if (!(await isAsComposed(transaction, run, change))) return null;
          await (change.before === null ? makeRun : changeRun)(transaction, run, change);
          return addItems(transaction, { projectId: run.projectId, runId: change.before?.id ?? change.made.id }, items);
        }),
      ),
  };
}

const foreignKeyViolation = "23503";

/** Null: another run began to use, or a change removed, the version of the dataset that this one was about. */
async function besideOthers<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (thrown) {
    if (sqlStateOf(thrown) !== foreignKeyViolation) throw thrown;
    return null;
  }
}

const knownRunText = `
  select
    runs.id, runs.dataset_id as "datasetId", runs.dataset_version as "datasetVersion",
    runs.plan_revision as "planRevision", runs.evaluation_subject::text as subject
  from evals.named_runs
  join evals.runs
    on runs.project_id = named_runs.project_id
    and runs.id = named_runs.run_id
  where named_runs.project_id = $1
    and named_runs.dataset_id = $2
    and named_runs.name = $3`;

/** Locks the run, and the dataset if the run is to use another version of it: an unused version may be deleted. */
async function isAsComposed(
  transaction: Queryable,
  { projectId, datasetId, name }: RunName,
  { before, made, datasetVersion }: RunChange,
): Promise<boolean> {
  const { rows } = await transaction.query<KnownRun>({
    name: "named_run_find_locked",
    text: `${knownRunText} for no key update of runs`,
    values: [projectId, datasetId, name],
  });
  if (JSON.stringify(rows[0] ?? null) !== JSON.stringify(before)) return false;
  if (before === null && (await isDeleted(transaction, projectId, made.id))) return false;
  if (before?.datasetVersion === datasetVersion) return true;
  const found = await transaction.query({
    name: "dataset_lock_version",
    text: `
      select id
      from evals.datasets
      where project_id = $1
        and id = $2
        and version = $3
      for share`,
    values: [projectId, datasetId, datasetVersion],
  });
  return found.rowCount === 1;
}

async function isDeleted(transaction: Queryable, projectId: string, runId: string): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "named_run_is_deleted",
    text: "select from evals.deleted_external_runs where project_id = $1 and run_id = $2",
    values: [projectId, runId],
  });
  return rowCount === 1;
}

/** A client never says that such a run is finished: it has ended from its first item on, and still takes others (decision 58). */
async function makeRun(
  transaction: Transaction,
  { projectId, datasetId, name }: RunName,
  { made, datasetVersion, subject, at }: RunChange,
): Promise<void> {
  await transaction.query(buildRunInsert(projectId, { ...made, datasetVersion, evaluationSubject: subject }));
  await transaction.query({
    name: "named_run_insert",
    text: `
      with ended as (
        update evals.runs
        set status = 'completed', closing_as = 'completed', finished_at = now()
        where project_id = $1
          and id = $4
      )
      insert into evals.named_runs (project_id, dataset_id, name, run_id, updated_at)
      values ($1, $2, $3, $4, $5)`,
    values: [projectId, datasetId, name, made.id, at],
  });
}

async function changeRun(
  transaction: Transaction,
  { projectId, datasetId, name }: RunName,
  { before, datasetVersion, subject, at }: RunChange,
): Promise<void> {
  if (before === null) return;
  if (before.subject !== subject) {
    await transaction.query({
      name: "named_run_describe",
      text: `
        with described as (
          update evals.runs
          set evaluation_subject = $4
          where project_id = $1
            and id = $5
        )
        update evals.named_runs
        set updated_at = $6
        where project_id = $1
          and dataset_id = $2
          and name = $3`,
      values: [projectId, datasetId, name, subject, before.id, at],
    });
  }
  if (before.datasetVersion !== datasetVersion) {
    await transaction.query({
      name: "named_run_take_version",
      text: `
        update evals.runs
        set dataset_version = $3
        where project_id = $1
          and id = $2`,
      values: [projectId, before.id, datasetVersion],
    });
    await dropReplaced(transaction, projectId, datasetId, before.datasetVersion);
  }
}

async function addItems(
  transaction: Transaction,
  { projectId, runId }: { projectId: string; runId: string },
  items: readonly NewItem[],
): Promise<AddedItems> {
  const stored = await readStored(transaction, { projectId, runId }, items);
  const numbers = await readRunNumbers(transaction, { projectId, runId }, items);
  const results: StoredResult[] = [];
  const added: StoredItem[] = [];
  for (const { keyDigest, compose, questionIndex, ...item } of items) {
    if (stored.has(keyDigest)) continue;
    const runNumber = (numbers.get(questionIndex) ?? 0) + 1;
    numbers.set(questionIndex, runNumber);
    const result = compose(runNumber);
    results.push(result);
    const { caseId, traceId, observationId, spanId, createdAt } = item;
    const one = { id: result.id, runId, caseId, traceId, observationId, spanId, createdAt };
    added.push(one);
    stored.set(keyDigest, one);
  }
  if (results.length > 0) {
    await transaction.query({
      name: "results_insert_external",
      text: `
        insert into evals.results (project_id, run_id, ${resultColumns})
        select $1, $2, sent.*
        from (${selectSentResults(3)}
        ) sent`,
      values: [projectId, runId, ...resultValues(results)],
    });
    await transaction.query(buildItemsInsert({ projectId, runId }, added));
  }
  return { items: items.map(({ keyDigest }) => stored.get(keyDigest) as StoredItem), results };
}

interface RunScope {
  projectId: string;
  runId: string;
}

function buildItemsInsert({ projectId, runId }: RunScope, items: readonly StoredItem[]) {
  return {
    name: "run_items_insert",
    text: `
      insert into evals.run_items (
        project_id, run_id, result_id, case_id, trace_id, observation_id, span_id, created_at
      )
      select $1, $2, sent.*
      from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[]) as sent`,
    values: [
      projectId,
      runId,
      items.map(({ id }) => id),
      items.map(({ caseId }) => caseId),
      items.map(({ traceId }) => traceId),
      items.map(({ observationId }) => observationId),
      items.map(({ spanId }) => spanId),
      items.map(({ createdAt }) => createdAt),
    ],
  };
}

/** The stored items among these, by the digest of their key. */
async function readStored(
  transaction: Queryable,
  { projectId, runId }: RunScope,
  items: readonly NewItem[],
): Promise<Map<string, StoredItem>> {
  const { rows } = await transaction.query<StoredItem & { keyDigest: string }>({
    name: "run_items_by_key",
    text: `
      select encode(results.key_digest, 'hex') as "keyDigest", ${itemColumns}
      from evals.results
      join evals.run_items
        on run_items.project_id = $1
        and run_items.run_id = $2
        and run_items.result_id = results.id
      where results.project_id = $1
        and results.run_id = $2
        and results.key_digest = any ($3::bytea[])`,
    values: [projectId, runId, digestValues(items.map(({ keyDigest }) => keyDigest))],
  });
  return new Map(rows.map(({ keyDigest, ...item }) => [keyDigest, item]));
}

/** The highest number of each case so far. */
async function readRunNumbers(
  transaction: Queryable,
  { projectId, runId }: RunScope,
  items: readonly NewItem[],
): Promise<Map<number | null, number>> {
  const indexes = new Set(items.flatMap(({ questionIndex }) => (questionIndex === null ? [] : [questionIndex])));
  const { rows } = await transaction.query<{ question_index: string; last: string }>({
    name: "results_last_numbers",
    text: `
      select question_index, max(run_number) as last
      from evals.results
      where project_id = $1
        and run_id = $2
        and question_index = any ($3::bigint[])
      group by question_index`,
    values: [projectId, runId, [...indexes]],
  });
  return new Map(rows.map((row) => [Number(row.question_index), Number(row.last)]));
}

/** Rows of {@link StoredItem}. */
export const itemColumns = `
  run_items.result_id as id, run_items.run_id as "runId", run_items.case_id as "caseId", run_items.trace_id as "traceId",
  run_items.observation_id as "observationId", run_items.span_id as "spanId", run_items.created_at as "createdAt"`;
