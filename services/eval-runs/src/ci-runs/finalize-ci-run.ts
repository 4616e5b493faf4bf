import type { Gate } from "@touchstone/contracts";
import { type Clock, uuidv7 } from "@touchstone/service-kit";
import { roundAverage } from "../gates/check-gate.ts";
import type { ResultStore } from "../results/result-store.ts";
import { type FinalizingDependencies, finalizeRun } from "../runs/finalize-run.ts";
import { completeRun } from "../runs/run-completion-store.ts";
import type { TerminalStatus } from "../runs/run-store.ts";
import type { CiRunStore, StoredCiRun } from "./ci-run-store.ts";
import { type AnsweredQuestion, decideCiRun, readAnswered, type Verdict } from "./decide-ci-run.ts";

export interface CiFinalizingDependencies extends FinalizingDependencies {
  ciRuns: CiRunStore;
  results: ResultStore;
  clock: Clock;
}

interface Ending {
  projectId: string;
  ciRun: StoredCiRun;
}

/**
 * Finalizes a CI run (completions 8.4): ends its evaluation run like any other, waits for results that are being judged, and
 * stores the verdict. Idempotent: the rows no longer change, and the first verdict stays.
 */
export async function finalizeCiRun(
  dependencies: CiFinalizingDependencies,
  { projectId, ciRun }: Ending,
): Promise<void> {
  await finalizeRun(dependencies, { projectId, runId: ciRun.id, status: "completed" });
  await storeVerdict(dependencies, { projectId, ciRun });
}

/**
 * The same without waiting: closes the run, and ends it only if nothing is being judged. For callers that cannot wait because
 * they answer a batch themselves or have other runs to end; the requests that are judging, or the next sweep, end the run.
 */
export async function endCiRunIfIdle(
  dependencies: CiFinalizingDependencies,
  { projectId, ciRun, status }: Ending & { status: TerminalStatus },
): Promise<boolean> {
  const { runs, database } = dependencies;
  const run = await runs.beginClosing(projectId, ciRun.id, status);
  if (run === null) return false;
  if (run.status === "in_progress") {
    if ((await runs.countLiveClaims(projectId, ciRun.id)) > 0) return false;
    await database.scoped([projectId], (transaction) => completeRun(transaction, projectId, ciRun.id));
  }
  await storeVerdict(dependencies, { projectId, ciRun });
  return true;
}

/** Decides on an ended run. */
async function storeVerdict(
  { ciRuns, runs, results, clock }: CiFinalizingDependencies,
  { projectId, ciRun }: Ending,
): Promise<void> {
  const run = await runs.find(projectId, ciRun.id);
  if (run === null || run.status === "in_progress") return;
  const answered = await readAnswered(results.pages(projectId, ciRun.id));
  const isExpired = run.status === "failed";
  const verdict = decideCiRun(answered, ciRun.settings, isExpired);
  const failure =
    verdict.gate === "pass"
      ? null
      : {
          id: uuidv7(clock.now()),
          gate: composeGate(ciRun, { verdict, answered, isExpired, scoringRevision: run.scoringRevision }),
        };
  await ciRuns.decide(projectId, ciRun.id, { verdict, failure });
}

/** The verdict as the gate history shows it (completions 5.6). */
function composeGate(
  { id, datasetId, settings }: StoredCiRun,
  decided: {
    verdict: Verdict;
    answered: readonly AnsweredQuestion[];
    isExpired: boolean;
    scoringRevision: number;
  },
): Gate {
  const { verdict, answered, isExpired, scoringRevision } = decided;
  const ratings = answered.flatMap(({ row }) => (row.rating === null ? [] : [row.rating]));
  const average = ratings.length === 0 ? null : ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length;
  const { passedQuestions, passRate } = verdict;
  const passed = `${passedQuestions} of ${settings.totalQuestions} questions passed.`;
  return {
    runId: id,
    datasetId,
    gatedScorer: null,
    gatedMetric: null,
    averageRating: roundAverage(average),
    resultCount: answered.length,
    baselineRunId: null,
    baselineAverage: null,
    scoringRevision,
    checks: [
      {
        check: "pass-rate",
        passed: false,
        threshold: settings.passRateThreshold,
        actual: passRate,
        detail: isExpired ? `The run expired before it was finalized; ${passed}` : passed,
      },
    ],
    paired: null,
    passed: false,
  };
}
