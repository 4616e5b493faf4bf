/** One member of an exported row, as JSON text. */
type MemberText = readonly [name: string, valueText: string];

/** What a row is made of: columns as PostgreSQL answers them. Free JSON comes as the text it is stored as. */
type Columns = Readonly<Record<string, unknown>>;

/** How one table is exported: SQL that reads it within project $1, and the shape of its rows (completions 13). */
export interface ExportedTable {
  /** The columns of a row; `id` is its name in the export and the cursor to the next one. */
  columns: string;
  source: string;
  /** The order, and the rows after the cursor $2, both along an index. */
  order: string;
  after: string;
  firstCursor: string;
  /** The column `since` is compared with. */
  time: string;
  /** Bytes of a row's text, nearly. */
  size: string;
  members(row: Columns): readonly MemberText[];
  /** A JSON object whose members stand in the row beside the others. */
  document?(row: Columns): string;
}

const firstId = "00000000-0000-0000-0000-000000000000";

export const exportedTables = {
  datasets: {
    columns: "datasets.id, datasets.version, versions.document::text, datasets.created_at",
    source: `
      evals.datasets
      join evals.dataset_versions as versions
        on versions.project_id = datasets.project_id
        and versions.dataset_id = datasets.id
        and versions.version = datasets.version
      where datasets.project_id = $1`,
    order: "datasets.id",
    after: "datasets.id > $2::uuid",
    firstCursor: firstId,
    time: "datasets.created_at",
    size: "length(versions.document::text)",
    members: (row) => [["version", json(row.version)], ["status", '"published"'], createdAt(row)],
    document: (row) => row.document as string,
  },

  "dataset-versions": {
    columns: `
      versions.dataset_id || ':' || versions.version as id, versions.dataset_id, versions.version,
      versions.document::text, versions.created_at`,
    source: `
      evals.dataset_versions as versions
      where versions.project_id = $1`,
    order: "versions.dataset_id, versions.version",
    after: `(versions.dataset_id, versions.version)
      > (split_part($2::text, ':', 1)::uuid, split_part($2::text, ':', 2)::integer)`,
    firstCursor: `${firstId}:0`,
    time: "versions.created_at",
    size: "length(versions.document::text)",
    members: (row) => [["datasetId", json(row.dataset_id)], ["version", json(row.version)], createdAt(row)],
    document: (row) => row.document as string,
  },

  runs: {
    columns: `
      runs.id, runs.dataset_id, runs.dataset_version, runs.evaluation_subject::text, runs.sdk::text, runs.run_source,
      runs.status, runs.created_at, runs.finished_at`,
    source: `
      evals.runs
      where runs.project_id = $1`,
    order: "runs.id",
    after: "runs.id > $2::uuid",
    firstCursor: firstId,
    time: "runs.created_at",
    size: "coalesce(length(runs.evaluation_subject::text), 0) + coalesce(length(runs.sdk::text), 0)",
    members: (row) => [
      ["datasetId", json(row.dataset_id)],
      ["datasetVersion", json(row.dataset_version)],
      ["evaluationSubject", (row.evaluation_subject as string | null) ?? "null"],
      ["sdk", (row.sdk as string | null) ?? "null"],
      ["runSource", json(row.run_source)],
      ["status", json(row.status)],
      createdAt(row),
      ["finishedAt", json(row.finished_at)],
    ],
  },

  "run-results": {
    columns: `
      results.id, results.run_id, results.idempotency_key::text, results.case_id::text, results.document::text,
      results.created_at`,
    source: `
      evals.results
      where results.project_id = $1`,
    order: "results.id",
    after: "results.id > $2::uuid",
    firstCursor: firstId,
    time: "results.created_at",
    size: "length(results.document::text)",
    members: (row) => [
      ["runId", json(row.run_id)],
      ["idempotencyKey", row.idempotency_key as string],
      ["caseId", row.case_id as string],
      createdAt(row),
    ],
    document: (row) => row.document as string,
  },
} as const satisfies Record<string, ExportedTable>;

function createdAt(row: Columns): MemberText {
  return ["createdAt", json(row.created_at)];
}

function json(value: unknown): string {
  return JSON.stringify(value ?? null);
}
