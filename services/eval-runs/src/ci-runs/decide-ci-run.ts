import type { ResultStore } from "../results/result-store.ts";
import { type AssessedRow, findMisses, type Miss, readAssessedRow } from "./assess-result.ts";
import type { CiSettings } from "./ci-settings.ts";

/** A stored result with the question it answers. */
export interface AnsweredQuestion {
  questionIndex: number;
  row: AssessedRow;
}

/** A miss with the question in which it occurred. */
export interface Violation extends Miss {
  questionIndex: number;
}

/** The outcome of finalizing, decided once (completions 8.4). */
export interface Verdict {
  gate: "pass" | "fail";
  passRate: number;
  passedQuestions: number;
  resultsSubmitted: number;
  /** By question; those of a result in the order of the minimums. */
  violations: readonly Violation[];
}

/** The stored results of a run, by question. Only the assessed part of each row is kept. */
export async function readAnswered(pages: ReturnType<ResultStore["pages"]>): Promise<AnsweredQuestion[]> {
  const answered: AnsweredQuestion[] = [];
  for await (const page of pages) {
    for (const { questionIndex, rowText } of page) {
      answered.push({ questionIndex: questionIndex as number, row: readAssessedRow(rowText) });
    }
  }
  return answered;
}

type Asked = Pick<CiSettings, "passRateThreshold" | "minimums"> & { totalQuestions: number };

/** Each question needs one result, and this one has none. */
const missing: Miss = { metric: "missing", threshold: 1, actual: 0 };

/**
 * Decides on a CI run: compares the share of all its questions that pass with the threshold. A question without a result fails;
 * so does a run that expired, regardless of its results (completions 8.4).
 */
export function decideCiRun(answered: readonly AnsweredQuestion[], asked: Asked, isExpired: boolean): Verdict {
  const { totalQuestions, passRateThreshold, minimums } = asked;
  const rows = new Map(answered.map(({ questionIndex, row }) => [questionIndex, row]));
  const violations: Violation[] = [];
  let passedQuestions = 0;
  for (let questionIndex = 0; questionIndex < totalQuestions; questionIndex += 1) {
    const row = rows.get(questionIndex);
    const misses = row === undefined ? [missing] : findMisses(row, minimums);
    if (misses.length === 0) passedQuestions += 1;
    violations.push(...misses.map((miss) => ({ questionIndex, ...miss })));
  }
  const passRate = passedQuestions / totalQuestions;
  return {
    gate: !isExpired && passRate >= passRateThreshold ? "pass" : "fail",
    passRate,
    passedQuestions,
    resultsSubmitted: rows.size,
    violations,
  };
}

/** True if the run passes when all open questions pass (completions 8.3, `gate_fired`). */
export function canStillPass(answered: readonly AnsweredQuestion[], asked: Asked): boolean {
  const { totalQuestions, passRateThreshold, minimums } = asked;
  const failed = answered.filter(({ row }) => findMisses(row, minimums).length > 0).length;
  return (totalQuestions - failed) / totalQuestions >= passRateThreshold;
}
