import type { CiViolation, ciRun, ciVerdict } from "@touchstone/contracts";
import type { z } from "zod";
import type { EvaluationCase } from "../grading/cases.ts";
import { joinRows } from "../results/result-page-reader.ts";
import type { ReadResult } from "../results/result-store.ts";
import type { ResultRow } from "../results/stored-result.ts";
import { type FrozenCiSettings, type StoredCiRun, stateOf } from "./ci-run-store.ts";
import type { Verdict } from "./decide-ci-run.ts";

type CiRunReply = Omit<z.input<typeof ciRun>, "git_context">;
type VerdictReply = Omit<z.input<typeof ciVerdict>, "git_context">;

/** A CI run as it is listed (completions 8.4), as JSON text. It contains the git context exactly as it was sent. */
export function renderCiRun(run: StoredCiRun): string {
  return withGitContext(replyOf(run), run.gitContext);
}

/** The same with the violations; null until it is decided. */
export function renderCiRunDetail(run: StoredCiRun, cases: readonly EvaluationCase[]): string {
  const violations = run.verdict && showViolations(run.settings, run.verdict, cases);
  return withGitContext({ ...replyOf(run), violations }, run.gitContext);
}

function replyOf(run: StoredCiRun): CiRunReply {
  const { settings, verdict, finalizedAt } = run;
  const state = stateOf(run);
  const statuses = { open: "in_progress", finalizing: "in_progress", decided: "completed", expired: "failed" } as const;
  return {
    run_id: run.id,
    dataset_id: run.datasetId,
    status: statuses[state],
    gate: state === "expired" ? "fail" : (verdict?.gate ?? null),
    results_submitted: run.resultsSubmitted,
    total_questions: settings.totalQuestions,
    created_at: run.createdAt.toISOString(),
    expires_at: run.expiresAt.toISOString(),
    finalized_at: finalizedAt?.toISOString() ?? null,
    pass_rate: verdict?.passRate ?? null,
    pass_rate_threshold: settings.passRateThreshold,
  };
}

/** Omits the texts of questions if inputs are not exposed. */
function showViolations(
  { exposesInputs }: FrozenCiSettings,
  { violations }: Verdict,
  cases: readonly EvaluationCase[],
): CiViolation[] {
  return violations.map(({ questionIndex, metric, threshold, actual }) => ({
    question_index: questionIndex,
    metric,
    threshold,
    actual,
    question_text: exposesInputs ? (cases[questionIndex]?.query ?? null) : null,
  }));
}

/**
 * The answer to a finalize (completions 8.4), as pieces of JSON text. Findings come from the verdict; inputs and outputs are
 * read from the results, which no longer change. Omits the texts of questions if inputs are not exposed.
 */
export async function* renderVerdict(
  run: StoredCiRun & { verdict: Verdict; finalizedAt: Date },
  pages: AsyncIterable<readonly ReadResult[]>,
  cases: readonly EvaluationCase[],
): AsyncGenerator<string> {
  const { settings, verdict } = run;
  const questionText = (index: number) => (settings.exposesInputs ? (cases[index]?.query ?? null) : null);
  const failed = new Set(verdict.violations.map(({ questionIndex }) => questionIndex));
  const reply: Omit<VerdictReply, "scores"> = {
    run_id: run.id,
    gate: verdict.gate,
    pass_rate: verdict.passRate,
    pass_rate_threshold: settings.passRateThreshold,
    total_questions: settings.totalQuestions,
    passed_questions: verdict.passedQuestions,
    results_submitted: verdict.resultsSubmitted,
    violations: showViolations(settings, verdict, cases),
    finalized_at: run.finalizedAt.toISOString(),
    status: "completed",
  };
  yield `${withGitContext(reply, run.gitContext).slice(0, -1)},"scores":[`;
  yield* joinRows(pages, ({ rowText }) => {
    const row = JSON.parse(rowText) as ResultRow;
    const questionIndex = row.questionIndex as number;
    const score: VerdictReply["scores"][number] = {
      question_index: questionIndex,
      rating: row.rating,
      justification: row.justification,
      passed: !failed.has(questionIndex),
      input: row.input?.query ?? questionText(questionIndex),
      output: row.output?.text ?? null,
    };
    return JSON.stringify(score);
  });
  yield "]}";
}

const withGitContext = (reply: object, gitContext: string | null): string =>
  `${JSON.stringify(reply).slice(0, -1)},"git_context":${gitContext ?? "null"}}`;
