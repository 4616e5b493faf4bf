import { limits } from "@touchstone/contracts";
import {
  createExportStore as createStore,
  type Database,
  type ExportedTable,
  firstId,
  type ExportStore as Store,
  storedSize,
} from "@touchstone/db";
import { analysisTables } from "./analysis-table-reader.ts";
import { graderTables } from "./grader-table-reader.ts";
import { registryTables } from "./registry-table-reader.ts";
import { byId, createdAt, json, jsonText, versionsOf } from "./versioned-table-reader.ts";

/** Every table this service exports, by the name of the entity (completions 13). */
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
    size: storedSize("versions", "document_bytes", ["document"]),
    members: (row) => [["version", json(row.version)], ["status", '"published"'], createdAt(row)],
    document: (row) => row.document as string,
  },

  "dataset-versions": versionsOf(
    { table: "dataset_versions", ownerColumn: "dataset_id", ownerName: "datasetId" },
    {
      columns: "versions.change_summary, versions.document::text",
      size: storedSize("versions", "document_bytes", ["document"]),
      members: (row) => [["changeSummary", json(row.change_summary)]],
      document: (row) => row.document as string,
    },
  ),

  runs: {
    columns: `
      runs.id, runs.dataset_id, runs.dataset_version, runs.evaluation_settings_id, runs.scorer_group_id,
      runs.additional_scorer_ids, runs.verdict_mode, runs.evaluation_subject::text, runs.sdk::text, runs.run_source,
      runs.status, runs.created_at, runs.finished_at`,
    ...byId("runs"),
    size: "coalesce(octet_length(runs.evaluation_subject::text), 0) + coalesce(octet_length(runs.sdk::text), 0)",
    members: (row) => [
      ["datasetId", json(row.dataset_id)],
      ["datasetVersion", json(row.dataset_version)],
      ["evaluationSettingsId", json(row.evaluation_settings_id)],
      ["scorerGroupId", json(row.scorer_group_id)],
      ["additionalScorerIds", json(row.additional_scorer_ids)],
      ["verdictMode", json(row.verdict_mode)],
      ["evaluationSubject", jsonText(row.evaluation_subject)],
      ["sdk", jsonText(row.sdk)],
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
    ...byId("results"),
    size: "octet_length(results.document::text)",
    members: (row) => [
      ["runId", json(row.run_id)],
      ["idempotencyKey", row.idempotency_key as string],
      ["caseId", row.case_id as string],
      createdAt(row),
    ],
    document: (row) => row.document as string,
  },
  ...analysisTables,
  ...graderTables,
  ...registryTables,
} as const satisfies Record<string, ExportedTable>;

export type ExportedEntity = keyof typeof exportedTables;
export type ExportStore = Store<ExportedEntity>;

/** Reads the rows that this service exports. */
export function createExportStore(database: Database): ExportStore {
  return createStore({ database, tables: exportedTables, pageRows: limits.exportPageRows });
}
