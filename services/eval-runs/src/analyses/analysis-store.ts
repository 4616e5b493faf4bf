import type { AnalysisNarrative } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";

/** The outcome of an analysis. */
export interface AnalysisOutcome {
  /** Null when it failed. */
  narrative: AnalysisNarrative | null;
  /** Null unless it failed. */
  failure: string | null;
  judges: readonly string[];
  qualityMode: "balanced" | "quality_first";
}

/** The state of a run's analysis. */
export interface StoredAnalysis {
  /** The last one that ended; null = the first is running or was interrupted. */
  last: { status: "completed" | "failed"; outcome: AnalysisOutcome; scoringRevision: number } | null;
  /** From 0 to 1; null = none is running. */
  progress: number | null;
}

export interface AnalysisScope {
  projectId: string;
  runId: string;
  holder: string;
}

/**
 * The analyses of runs, one per run. A writer holds a lease: other writers are refused meanwhile, and the analysis of a writer
 * that died is free when the lease ends. Times are PostgreSQL's.
 */
export interface AnalysisStore {
  /** Takes the lease; false when another writer holds it. */
  begin(scope: AnalysisScope, leaseMs: number): Promise<boolean>;
  renew(scope: AnalysisScope, leaseMs: number, progress: number): Promise<void>;
  /** Replaces the previous outcome, if the lease is still held. */
  finish(scope: AnalysisScope, outcome: AnalysisOutcome, scoringRevision: number): Promise<boolean>;
  /** Releases the lease without an outcome. */
  release(scope: AnalysisScope): Promise<void>;
  find(projectId: string, runId: string): Promise<StoredAnalysis | null>;
}

export function createAnalysisStore(database: Database): AnalysisStore {
  return {
    async begin({ projectId, runId, holder }, leaseMs) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "analysis_begin",
          text: `
            insert into evals.analyses as analyses (project_id, run_id, status, holder, lease_until, created_at)
            values ($1, $2, 'running', $3, clock_timestamp() + $4 * interval '1 millisecond', now())
            on conflict (project_id, run_id) do update
            set holder = excluded.holder, lease_until = excluded.lease_until, progress = 0
            where analyses.holder is null
              or analyses.lease_until < clock_timestamp()`,
          values: [projectId, runId, holder, leaseMs],
        }),
      );
      return rowCount === 1;
    },

    async renew({ projectId, runId, holder }, leaseMs, progress) {
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "analysis_renew",
          text: `
            update evals.analyses
            set lease_until = clock_timestamp() + $4 * interval '1 millisecond', progress = $5
            where project_id = $1
              and run_id = $2
              and holder = $3`,
          values: [projectId, runId, holder, leaseMs, progress],
        }),
      );
    },

    async finish({ projectId, runId, holder }, outcome, scoringRevision) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "analysis_finish",
          text: `
            update evals.analyses
            set status = $4, document = $5, scoring_revision = $6, finished_at = now(),
                holder = null, lease_until = null
            where project_id = $1
              and run_id = $2
              and holder = $3`,
          values: [
            projectId,
            runId,
            holder,
            outcome.failure === null ? "completed" : "failed",
            JSON.stringify(outcome),
            scoringRevision,
          ],
        }),
      );
      return rowCount === 1;
    },

    async release({ projectId, runId, holder }) {
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "analysis_release",
          text: `
            update evals.analyses
            set holder = null, lease_until = null
            where project_id = $1
              and run_id = $2
              and holder = $3`,
          values: [projectId, runId, holder],
        }),
      );
    },

    async find(projectId, runId) {
      const { rows } = await database.readScoped<{
        status: "running" | "completed" | "failed";
        document: AnalysisOutcome | null;
        scoring_revision: number;
        progress: number | null;
      }>([projectId], {
        name: "analysis_find",
        text: `
          select
            status, document, scoring_revision,
            case when lease_until >= clock_timestamp() then progress end as progress
          from evals.analyses
          where project_id = $1
            and run_id = $2`,
        values: [projectId, runId],
      });
      const row = rows[0];
      if (row === undefined) return null;
      const { status, document: outcome, scoring_revision: scoringRevision, progress } = row;
      return {
        last: status === "running" || outcome === null ? null : { status, outcome, scoringRevision },
        progress,
      };
    },
  };
}
