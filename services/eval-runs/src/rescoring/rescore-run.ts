import { randomUUID } from "node:crypto";
import { AppError, type Logger } from "@touchstone/service-kit";
import type { Grading } from "../grading/cases.ts";
import { writePlan } from "../grading/plan.ts";
import { type JudgingDependencies, judgeResult, type LinkTrace } from "../judging/judge-result.ts";
import { externalSource, type SubmittedResult } from "../judging/judgement.ts";
import type { LinkedTraces } from "../judging/linked-traces.ts";
import { createGroupedStore } from "../results/store-in-groups.ts";
import { composeResult, type StoredResult } from "../results/stored-result.ts";
import type { RunGrading } from "../runs/find-graders.ts";
import type { Gradings } from "../runs/gradings.ts";
import { type RunStore, requireRun, type StoredRun } from "../runs/run-store.ts";
import type { RescoringRight, RescoringScope, RescoringStore } from "./rescoring-store.ts";
import type { SkippedResult } from "./skipped-result-reader.ts";

export interface RescoringDependencies extends JudgingDependencies {
  rescorings: RescoringStore;
  runs: Pick<RunStore, "find">;
  gradings: Gradings;
  linkedTraces: LinkedTraces;
  logger: Logger;
  /** Called for each stored result. */
  onStored: (result: StoredResult) => void;
  /** Aborts when the service stops. */
  signal: AbortSignal;
}

/** The outcome for a run's skipped results. */
export interface Rescored {
  /** Judged, and stored in place of the skipped ones. */
  rescored: number;
  /**
   * Judged again without a rating, or without an output yet. They stay as they were, but for the reason of one that no judge had
   * been asked about.
   */
  stillSkipped: number;
  /** Not judged before the deadline. Call again for these. */
  remaining: number;
}

/** Results judged at the same time: as many as one or two batches contain. */
const atOnceMax = 16;

const refusals: Readonly<Record<Exclude<RescoringRight, "granted">, () => AppError>> = {
  not_found: () => new AppError("not_found", "Run not found"),
  failed: () => new AppError("conflict", "A failed run cannot be rescored"),
  pipeline: () => new AppError("conflict", "A run of a pipeline cannot be rescored"),
  closing: () => new AppError("conflict", "The run is being finalized; retry"),
  held: () => new AppError("conflict", "Rescoring already running for this run"),
};

export interface RunToRescore {
  projectId: string;
  organizationId: string | null;
  run: StoredRun;
  /** How an external run is to be graded from now on; null = as it is. */
  asked: RunGrading | null;
}

/**
 * Judges only the skipped results of a run again, under the plan the run was created with (completions 5.11). Judged results
 * are stored one by one; results skipped again stay as they were. Throws `conflict` for a failed run, a pipeline's run, and
 * while another caller is rescoring it or once one has taken it over.
 */
export async function rescoreRun(
  dependencies: RescoringDependencies,
  { projectId, organizationId, run: found, asked }: RunToRescore,
): Promise<Rescored> {
  const { rescorings, runs, gradings, linkedTraces, timings, logger, onStored, signal } = dependencies;
  const scope: RescoringScope = { projectId, runId: found.id, holder: randomUUID() };
  const { right, planRevision, scoringRevision } = await rescorings.begin(scope, timings.leaseMs);
  if (right !== "granted") throw refusals[right]();
  // Another rescoring may have replaced the graders since the run was found.
  const run = { ...found, planRevision };
  const deadlineMs = performance.now() + timings.batchMs;
  let isLost = false;
  const heartbeat = setInterval(() => {
    rescorings.renew(scope, timings.leaseMs).then(
      (isHeld) => {
        isLost ||= !isHeld;
      },
      (err) => logger.warn({ err }, "a lease could not be renewed"),
    );
  }, timings.heartbeatMs);
  try {
    const regraded = await regrade(dependencies, scope, run, asked);
    const ids = await rescorings.listSkipped(projectId, run.id);
    // An external run may have moved to a newer version, which has the cases of all these results.
    const { datasetVersion } = await requireRun(runs, projectId, run.id);
    const grading = await gradings.ofRun(projectId, { ...regraded, datasetVersion });
    // The workers share one source, which buffers a page.
    const skipped = rescorings.readSkipped(projectId, ids);
    const linkTrace = linkedTraces.open(projectId, grading.plan);
    const store = createGroupedStore(async (results) => {
      const replaced = await rescorings.replace(scope, results, scoringRevision + 1);
      isLost ||= replaced === null;
      return replaced ?? new Set();
    });
    const counts: Rescored = { rescored: 0, stillSkipped: 0, remaining: 0 };
    let taken = 0;
    let hasFailed = false;
    const work = async (): Promise<void> => {
      for await (const result of skipped) {
        if (hasFailed || isLost) return;
        const leftMs = deadlineMs - performance.now();
        if (leftMs <= 2 * timings.storeMs) {
          counts.remaining = ids.length - taken;
          return;
        }
        taken += 1;
        const judged = await judgeAgain(dependencies, {
          projectId,
          organizationId,
          run,
          grading,
          linkTrace,
          result,
          leftMs,
        });
        if (judged === null) counts.stillSkipped += 1;
        else if (judged.status === "skipped") {
          if (await rescorings.restate(scope, judged)) counts.stillSkipped += 1;
          else isLost = true;
        } else if (await store(judged)) {
          counts.rescored += 1;
          onStored(judged);
        }
      }
    };
    const working = Array.from({ length: Math.min(atOnceMax, ids.length) }, () =>
      work().catch((thrown) => {
        hasFailed = true;
        throw thrown;
      }),
    );
    // When one fails or the right is lost, no worker starts another. Results in progress are stored while the lease is held.
    await Promise.allSettled(working);
    await Promise.all(working);
    signal.throwIfAborted();
    if (isLost) {
      await requireRun(runs, projectId, run.id);
      throw refusals.held();
    }
    return counts;
  } finally {
    clearInterval(heartbeat);
    await rescorings.end(scope).catch((err) => logger.warn({ err }, "a rescoring was left to its lease"));
  }
}

/** The run with the grading that was asked for. Ratings of one run never come from two plans. */
async function regrade(
  { rescorings, gradings }: Pick<RescoringDependencies, "rescorings" | "gradings">,
  scope: RescoringScope,
  run: StoredRun,
  asked: RunGrading | null,
): Promise<StoredRun> {
  if (asked === null || writePlan(await gradings.planOf(scope.projectId, run)) === asked.plan) return run;
  const planRevision = await rescorings.regrade(scope, asked);
  if (planRevision === null)
    throw new AppError("conflict", "The run has ratings already: its graders stay as they are");
  return { ...run, planRevision };
}

interface Again {
  projectId: string;
  organizationId: string | null;
  run: StoredRun;
  grading: Grading;
  linkTrace: LinkTrace;
  result: SkippedResult;
  leftMs: number;
}

/** Null = skipped again, or there is nothing to judge yet. Skipped: a result of an external run, whose row says why. */
async function judgeAgain(
  dependencies: RescoringDependencies,
  { projectId, organizationId, run, grading, linkTrace, result, leftMs }: Again,
): Promise<StoredResult | null> {
  const submitted = readSubmitted(result, run.runSource === externalSource);
  if (submitted.outputText === null && submitted.error === null) return null;
  const { questionIndex } = result.row;
  const evaluationCase = questionIndex === null ? null : (grading.cases[questionIndex] ?? null);
  const { plan } = grading;
  const judgement = await judgeResult(
    dependencies,
    { projectId, organizationId, verdictMode: run.verdictMode, plan, evaluationCase, submitted, linkTrace },
    { leftMs, signal: dependencies.signal },
  );
  if (judgement.status === "skipped" && run.runSource !== externalSource) return null;
  const judged = composeResult(result.id, submitted, judgement, { plan, evaluationCase, batchId: result.row.batchId });
  // The client's scores stay alone, as the next rescoring takes them for the client's.
  const unable = { ...result.row, justification: judgement.justification };
  return judgement.status === "skipped" ? { ...judged, row: unable } : judged;
}

/** Restores the submitted result from the stored one. */
function readSubmitted(
  { idempotencyKey, caseId, row, submittedContext }: SkippedResult,
  isExternal: boolean,
): SubmittedResult {
  return {
    idempotencyKey,
    caseId,
    questionIndex: row.questionIndex,
    runNumber: row.runNumber ?? 1,
    query: row.input?.query ?? null,
    outputText: row.output?.text ?? null,
    error: row.error,
    traceId: row.traceId,
    retrievalContext: submittedContext,
    latencyMs: row.latencyMs,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    isVariant: row.isSmokeTestVariant,
    variantText: row.smokeTestVariantText,
    // Only the client can have computed scores of a result that no judge has seen.
    scores: isExternal ? row.codeScorerResults : null,
  };
}
