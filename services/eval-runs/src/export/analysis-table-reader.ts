import { type ExportedTable, firstId } from "@touchstone/db";
import { byId, createdAt, json, jsonText } from "./versioned-table-reader.ts";

/** Results of analysing runs: recorded gate verdicts and analyses. */
export const analysisTables = {
  "gate-results": {
    columns: `
      gate_results.id, gate_results.run_id, gate_results.dataset_id, gate_results.scoring_revision, gate_results.passed,
      gate_results.caller, gate_results.document::text, gate_results.created_at`,
    ...byId("gate_results"),
    size: "octet_length(gate_results.document::text)",
    members: (row) => [
      ["runId", json(row.run_id)],
      ["datasetId", json(row.dataset_id)],
      ["scoringRevision", json(row.scoring_revision)],
      ["passed", json(row.passed)],
      ["caller", json(row.caller)],
      ["gate", jsonText(row.document)],
      createdAt(row),
    ],
  },

  // A run has one, with the run's id.
  "evaluation-analyses": {
    columns: `
      analyses.run_id as id, analyses.status, analyses.scoring_revision, analyses.document::text, analyses.created_at,
      analyses.finished_at`,
    source: `
      evals.analyses
      where analyses.project_id = $1`,
    order: "analyses.run_id",
    after: "analyses.run_id > $2::uuid",
    firstCursor: firstId,
    time: "analyses.created_at",
    size: "coalesce(octet_length(analyses.document::text), 0)",
    members: (row) => [
      ["evaluationId", json(row.id)],
      ["status", json(row.status)],
      ["scoringRevision", json(row.scoring_revision)],
      createdAt(row),
      ["finishedAt", json(row.finished_at)],
    ],
    document: (row) => (row.document as string | null) ?? "{}",
  },
} as const satisfies Record<string, ExportedTable>;
