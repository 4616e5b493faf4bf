import type { Gate, GateCheck } from "@touchstone/contracts";
import { type Database, type ListQuery, selectPart } from "@touchstone/db";
import type { ListPage, SizedRow } from "@touchstone/service-kit";
import { readList } from "../queries/list-query.ts";
import type { GradedRun } from "../runs/gradings.ts";
import { branchOfSubject, commitOfSubject, isJudgedRun } from "../runs/run-filter-reader.ts";
import type { VerdictFilter, VerdictQuery } from "../runs/verdict-query.ts";
import { announceGate } from "./announce-gate.ts";

/** A recorded verdict. */
export interface RecordedGate {
  id: string;
  runId: string;
  datasetId: string;
  /** From the run's subject; null if it has none. */
  branch: string | null;
  commit: string | null;
  passed: boolean;
  scoringRevision: number;
  caller: string | null;
  gate: Pick<Gate, "averageRating" | "baselineAverage"> & { checks: GateCheck[] };
  createdAt: Date;
}

/** Filters of recorded verdicts. */
export interface RecordedGateQuery extends VerdictQuery {
  /** Includes the recorded verdicts of CI runs, which are the failing ones. */
  withCiRuns: boolean;
  /** Only the newest verdict on each of these runs; null = all verdicts. */
  runIds: readonly string[] | null;
}

/** The filters without the page. */
type VerdictsMatched = Omit<RecordedGateQuery, keyof ListQuery>;

/** Runs that gates and comparisons choose from, and recorded verdicts. */
export interface GateStore {
  /** Completed earlier runs of the dataset that may be baselines, newest first: rated ones, unless a metric is gated. */
  listBaselines(projectId: string, run: { id: string; datasetId: string }, isRated: boolean): Promise<GradedRun[]>;
  /** The dataset's newest completed run that is neither a trace evaluation nor an external run without a rating. */
  findNewestCompleted(projectId: string, datasetId: string): Promise<string | null>;
  /** Records a verdict, and announces it in the same commit. */
  record(projectId: string, recorded: Omit<RecordedGate, "branch" | "commit" | "gate"> & { gate: Gate }): Promise<void>;
  /** Newest first. */
  listRecorded(projectId: string, query: RecordedGateQuery): Promise<ListPage<RecordedGate>>;
  /** The number of matches on all pages. */
  countRecorded(projectId: string, query: VerdictsMatched): Promise<number>;
}

/** completions 5.6: the baseline is among the last five. */
const baselinesMax = 5;

/** On joined `evals.runs`; the first four parameters are {@link verdictValues}. */
export const matchesVerdict = `
            runs.project_id = $1
            and ($2::uuid is null or runs.dataset_id = $2)
            and ($3::text is null or ${branchOfSubject} = $3)
            and ($4::text is null or starts_with(${commitOfSubject}, $4) or starts_with($4, ${commitOfSubject}))`;

/** The parameters of {@link matchesVerdict}. */
export function verdictValues(projectId: string, { datasetId, branch, commit }: VerdictFilter): unknown[] {
  return [projectId, datasetId, branch, commit];
}

/** The first six parameters are {@link recordedValues}. */
const recordedTables = `
          evals.gate_results as gates
          join evals.runs
            on runs.project_id = gates.project_id
            and runs.id = gates.run_id`;
const isRecorded = `
            gates.project_id = $1
            and ${matchesVerdict}
            and ($5 or not exists (
              select
              from evals.ci_runs
              where ci_runs.project_id = gates.project_id
                and ci_runs.run_id = gates.run_id
            ))
            and ($6::uuid[] is null or gates.run_id = any ($6) and not exists (
              select
              from evals.gate_results as newer
              where newer.project_id = gates.project_id
                and newer.run_id = gates.run_id
                and newer.id > gates.id
            ))`;

function recordedValues(projectId: string, query: VerdictsMatched): unknown[] {
  return [...verdictValues(projectId, query.filter), query.withCiRuns, query.runIds];
}

type RecordedRow = SizedRow & {
  id: string;
  run_id: string;
  dataset_id: string;
  branch: string | null;
  commit: string | null;
  passed: boolean;
  scoring_revision: number;
  caller: string | null;
  document: RecordedGate["gate"];
  created_at: Date;
};

export function createGateStore(database: Database): GateStore {
  return {
    async listBaselines(projectId, { id, datasetId }, isRated) {
      const { rows } = await database.readScoped<GradedRun>([projectId], {
        name: "gate_baselines",
        text: `
          select id, dataset_id as "datasetId", dataset_version as "datasetVersion", plan_revision as "planRevision"
          from evals.runs
          where project_id = $1
            and dataset_id = $2
            and (created_at, id) < (
              select created_at, id from evals.runs as candidate where candidate.project_id = $1 and candidate.id = $3
            )
            and status = 'completed'
            and run_source <> 'trace-eval'
            and exists (
              select 1
              from evals.results
              where results.project_id = runs.project_id
                and results.run_id = runs.id
                and (results.rating is not null or not $4)
                and not results.is_variant
            )
          order by created_at desc, id desc
          limit ${baselinesMax}`,
        values: [projectId, datasetId, id, isRated],
      });
      return rows;
    },

    async findNewestCompleted(projectId, datasetId) {
      const { rows } = await database.readScoped<{ id: string }>([projectId], {
        name: "gate_newest_completed",
        text: `
          select id
          from evals.runs
          where project_id = $1
            and dataset_id = $2
            and status = 'completed'
            and ${isJudgedRun}
          order by created_at desc, id desc
          limit 1`,
        values: [projectId, datasetId],
      });
      return rows[0]?.id ?? null;
    },

    async record(projectId, { id, runId, datasetId, passed, scoringRevision, caller, gate, createdAt }) {
      await database.scoped([projectId], async (transaction) => {
        await transaction.query({
          name: "gate_record",
          text: `
            insert into evals.gate_results (
              project_id, id, run_id, dataset_id, scoring_revision, passed, caller, document, created_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          values: [projectId, id, runId, datasetId, scoringRevision, passed, caller, JSON.stringify(gate), createdAt],
        });
        await announceGate(transaction, projectId, { id, gate, recordedAt: createdAt });
      });
    },

    async countRecorded(projectId, query) {
      const { rows } = await database.readScoped<{ count: number }>([projectId], {
        name: "gate_count_recorded",
        text: `
          select count(*)::integer as count
          from ${recordedTables}
          where ${isRecorded}`,
        values: recordedValues(projectId, query),
      });
      return rows[0]?.count ?? 0;
    },

    async listRecorded(projectId, query) {
      const page = await readList<RecordedRow, string>(database, projectId, query, {
        cursorOf: ({ id }) => id,
        statement: (cursor, { rowsMax, bytesMax }) => ({
          name: "gate_list_recorded",
          text: selectPart({
            rows: `
              select gates.*, ${branchOfSubject} as branch, ${commitOfSubject} as commit
              from ${recordedTables}
              where ${isRecorded}
                and ($7::uuid is null or gates.id < $7)
              order by gates.id desc
              limit $8`,
            large: ["document"],
            order: "id desc",
            columns: "id, run_id, dataset_id, branch, commit, passed, scoring_revision, caller, document, created_at",
            bytesMax: "$9",
          }),
          values: [...recordedValues(projectId, query), cursor, rowsMax, bytesMax],
        }),
      });
      const rows = page.rows.map((row) => ({
        id: row.id,
        runId: row.run_id,
        datasetId: row.dataset_id,
        branch: row.branch,
        commit: row.commit,
        passed: row.passed,
        scoringRevision: row.scoring_revision,
        caller: row.caller,
        gate: row.document,
        createdAt: row.created_at,
      }));
      return { ...page, rows };
    },
  };
}
