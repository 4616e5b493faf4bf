import type { Database, Queryable, Statement } from "@touchstone/db";
import type { RatingNews } from "../results/rating-news-store.ts";
import { resultColumns, resultValues, selectSentResults } from "../results/result-row-store.ts";
import type { StoredResult } from "../results/stored-result.ts";
import type { RunGrading } from "../runs/find-graders.ts";
import { listSkipped, readSkipped, type SkippedResult } from "./skipped-result-reader.ts";

export interface RescoringScope {
  projectId: string;
  runId: string;
  holder: string;
}

/** Permission to rescore a run, or the reason for refusal. */
export type RescoringRight = "granted" | "not_found" | "failed" | "pipeline" | "closing" | "held";

/**
 * Replaces skipped results by judged ones. One caller at a time may rescore a run, under a lease; rows are updated in place, so
 * that ids, keys and order stay.
 */
export interface RescoringStore {
  begin(scope: RescoringScope, leaseMs: number): Promise<RescoringState>;
  /**
   * Replaces the plan of a run that has no ratings, and returns its revision; null when it has some, or the right was lost.
   */
  regrade(scope: RescoringScope, grading: RunGrading): Promise<number | null>;
  /** False when the right was lost: another caller has taken the run, or it was deleted. */
  renew(scope: RescoringScope, leaseMs: number): Promise<boolean>;
  end(scope: RescoringScope): Promise<void>;
  /** The ids of the skipped results, in the order of the run. */
  listSkipped(projectId: string, runId: string): Promise<string[]>;
  /** Those of these results that are still skipped, in their order, page by page. */
  readSkipped(projectId: string, ids: readonly string[]): AsyncGenerator<SkippedResult>;
  /** Stores why a skipped result was skipped this time; false when the right was lost. */
  restate(scope: RescoringScope, result: Pick<StoredResult, "id" | "skipReason" | "row">): Promise<boolean>;
  /**
   * Stores judged results in place of skipped ones; returns the digests of the replaced ones, or null when the right was lost.
   * A completed run gets this scoring revision in the same transaction. A repeated call changes nothing and answers the same.
   */
  replace(scope: RescoringScope, results: readonly StoredResult[], revision: number): Promise<Set<string> | null>;
}

/** Whether a caller may rescore a run, and the revisions of its plan and scores, which change only under the right. */
export interface RescoringState {
  right: RescoringRight;
  planRevision: number;
  scoringRevision: number;
}

export function createRescoringStore(database: Database, ratingNews: RatingNews): RescoringStore {
  return {
    begin: ({ projectId, runId, holder }, leaseMs) =>
      database.scoped([projectId], async (transaction) => {
        const state = await readState(transaction, projectId, runId);
        if (state.right !== "granted") return state;
        await transaction.query({
          name: "rescoring_begin",
          text: `
            update evals.runs
            set rescoring_holder = $3,
                rescoring_until = clock_timestamp() + $4 * interval '1 millisecond'
            where project_id = $1
              and id = $2`,
          values: [projectId, runId, holder, leaseMs],
        });
        return state;
      }),

    regrade: (scope, grading) =>
      database.scoped([scope.projectId], async (transaction) => {
        const { rows } = await transaction.query<{ plan_revision: number }>(buildRegrade(scope, grading));
        return rows[0]?.plan_revision ?? null;
      }),

    async renew({ projectId, runId, holder }, leaseMs) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "rescoring_renew",
          text: `
            update evals.runs
            set rescoring_until = clock_timestamp() + $4 * interval '1 millisecond'
            where project_id = $1
              and id = $2
              and rescoring_holder = $3`,
          values: [projectId, runId, holder, leaseMs],
        }),
      );
      return rowCount === 1;
    },

    async end({ projectId, runId, holder }) {
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "rescoring_end",
          text: `
            update evals.runs
            set rescoring_holder = null,
                rescoring_until = null
            where project_id = $1
              and id = $2
              and rescoring_holder = $3`,
          values: [projectId, runId, holder],
        }),
      );
    },

    listSkipped: (projectId, runId) => listSkipped(database, projectId, runId),

    readSkipped: (projectId, ids) => readSkipped(database, projectId, ids),

    restate: (scope, { id, skipReason, row }) =>
      database.scoped([scope.projectId], async (transaction) => {
        if (!(await lockHeld(transaction, scope))) return false;
        await transaction.query({
          name: "rescoring_restate",
          text: `
            update evals.results
            set skip_reason = $4, document = $5
            where project_id = $1
              and run_id = $2
              and id = $3
              and status = 'skipped'`,
          values: [scope.projectId, scope.runId, id, skipReason, JSON.stringify(row)],
        });
        return true;
      }),

    replace: (scope, results, revision) =>
      database.scoped([scope.projectId], async (transaction) => {
        if (!(await lockHeld(transaction, scope))) return null;
        const removed = await transaction.query<{ id: string }>(removeSkipped(scope, results));
        const freed = new Set(removed.rows.map(({ id }) => id));
        const replaced = results.filter(({ id }) => freed.has(id));
        if (replaced.length > 0) {
          await transaction.query(insertJudged(scope, replaced));
          await ratingNews.write(transaction, scope, replaced);
          await transaction.query(raiseRevision(scope, revision));
        }
        // Those of an earlier attempt count, whose commit was not answered: only the holder can have judged them.
        const { rows } = await transaction.query<{ id: string }>(listJudged(scope, results));
        const judged = new Set(rows.map(({ id }) => id));
        return new Set(results.filter(({ id }) => judged.has(id)).map(({ keyDigest }) => keyDigest));
      }),
  };
}

function buildRegrade({ projectId, runId, holder }: RescoringScope, { plan, gradedBy }: RunGrading): Statement {
  const { evaluationSettingsId, scorerGroupId, additionalScorerIds } = gradedBy;
  return {
    name: "rescoring_regrade",
    text: `
      update evals.runs
      set plan = $4,
          evaluation_settings_id = $5,
          scorer_group_id = $6,
          additional_scorer_ids = $7,
          plan_revision = plan_revision + 1
      where project_id = $1
        and id = $2
        and rescoring_holder = $3
        and not exists (
          select
          from evals.results
          where results.project_id = $1
            and results.run_id = $2
            and results.rating is not null
        )
      returning plan_revision`,
    values: [projectId, runId, holder, plan, evaluationSettingsId, scorerGroupId, additionalScorerIds],
  };
}

/** Locks the run if the holder has the right: meanwhile it is not deleted, not taken by another caller, and does not end. */
async function lockHeld(transaction: Queryable, { projectId, runId, holder }: RescoringScope): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: "rescoring_lock_held",
    text: `
      select
      from evals.runs
      where project_id = $1
        and id = $2
        and rescoring_holder = $3
      for no key update`,
    values: [projectId, runId, holder],
  });
  return rowCount === 1;
}

const raiseRevision = ({ projectId, runId }: RescoringScope, revision: number): Statement => ({
  name: "rescoring_raise_revision",
  text: `
    update evals.runs
    set scoring_revision = $3
    where project_id = $1
      and id = $2
      and status = 'completed'
      and scoring_revision < $3`,
  values: [projectId, runId, revision],
});

const listJudged = ({ projectId, runId }: RescoringScope, results: readonly StoredResult[]): Statement => ({
  name: "rescoring_list_judged",
  text: `
    select id
    from evals.results
    where project_id = $1
      and run_id = $2
      and id = any ($3::uuid[])
      and status <> 'skipped'`,
  values: [projectId, runId, results.map(({ id }) => id)],
});

const removeSkipped = ({ projectId, runId }: RescoringScope, results: readonly StoredResult[]): Statement => ({
  name: "rescoring_remove_skipped",
  text: `
    delete from evals.results
    where project_id = $1
      and run_id = $2
      and id = any ($3::uuid[])
      and status = 'skipped'
    returning id`,
  values: [projectId, runId, results.map(({ id }) => id)],
});

const insertJudged = ({ projectId, runId }: RescoringScope, results: readonly StoredResult[]): Statement => ({
  name: "rescoring_insert_judged",
  text: `
    with judged as (${selectSentResults(3)})
    insert into evals.results (project_id, run_id, ${resultColumns})
    select $1, $2, judged.*
    from judged`,
  values: [projectId, runId, ...resultValues(results)],
});

async function readState(transaction: Queryable, projectId: string, runId: string): Promise<RescoringState> {
  const { rows } = await transaction.query<{
    status: "in_progress" | "completed" | "failed";
    is_closing: boolean;
    is_pipeline: boolean;
    is_held: boolean;
    plan_revision: number;
    scoring_revision: number;
  }>({
    name: "rescoring_state",
    text: `
      select
        status,
        status = 'in_progress' and closing_as is not null as is_closing,
        exists (select from evals.ci_runs where ci_runs.project_id = $1 and ci_runs.run_id = $2) as is_pipeline,
        coalesce(rescoring_until >= clock_timestamp(), false) as is_held,
        plan_revision,
        scoring_revision
      from evals.runs
      where project_id = $1
        and id = $2
      for update`,
    values: [projectId, runId],
  });
  const run = rows[0];
  const rightOf = (): RescoringRight => {
    if (run === undefined) return "not_found";
    if (run.status === "failed") return "failed";
    if (run.is_pipeline) return "pipeline";
    if (run.is_closing) return "closing";
    return run.is_held ? "held" : "granted";
  };
  return {
    right: rightOf(),
    planRevision: run?.plan_revision ?? 0,
    scoringRevision: run?.scoring_revision ?? 0,
  };
}
