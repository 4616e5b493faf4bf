import type { VerdictMode } from "@touchstone/contracts";
import { type Statement, sqlStateOf } from "@touchstone/db";
import { VersionGone } from "../datasets/version-gone.ts";

/** A run to create. */
export interface NewRun {
  id: string;
  datasetId: string;
  /** The version of the dataset that the run uses from start to end. Null = it has no cases. */
  datasetVersion: number | null;
  /** The graders named besides the dataset. The grading itself is in the plan. */
  evaluationSettingsId: string | null;
  scorerGroupId: string | null;
  /** Null = none; never empty, and always null beside a group. */
  additionalScorerIds: readonly string[] | null;
  verdictMode: VerdictMode;
  /** JSON text of the paraphrases; null when no question has any. */
  smokeTestVariants: string | null;
  /** JSON text as it was sent, or null. */
  evaluationSubject: string | null;
  runSource: string;
  createdAt: Date;
  sdk: string | null;
  /** Made by {@link writePlan}. */
  plan: string;
}

/** The insert of a run, for callers that insert something else in the same transaction. */
export function buildRunInsert(projectId: string, run: NewRun): Statement {
  return {
    name: "run_insert",
    text: `
      insert into evals.runs (
        project_id, id, dataset_id, dataset_version, evaluation_settings_id, scorer_group_id, additional_scorer_ids,
        plan, verdict_mode, smoke_test_variants, evaluation_subject, sdk, run_source, created_at
      )
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    values: [
      projectId,
      run.id,
      run.datasetId,
      run.datasetVersion,
      run.evaluationSettingsId,
      run.scorerGroupId,
      run.additionalScorerIds,
      run.plan,
      run.verdictMode,
      run.smokeTestVariants,
      run.evaluationSubject,
      run.sdk,
      run.runSource,
      run.createdAt,
    ],
  };
}

const foreignKeyViolation = "23503";

/** Stores a new run. Throws {@link VersionGone} if its version was replaced or deleted since it was read. */
export async function refuseGoneDataset<Result>(
  insertRun: () => Promise<Result>,
  sentence = "Dataset not found",
): Promise<Result> {
  try {
    return await insertRun();
  } catch (thrown) {
    if (sqlStateOf(thrown) !== foreignKeyViolation) throw thrown;
    throw new VersionGone(sentence, thrown);
  }
}
