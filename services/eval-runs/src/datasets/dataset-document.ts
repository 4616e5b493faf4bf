import { limits } from "@touchstone/contracts/limits";
import { AppError, type JsonMember, type JsonObject, objectText, objectTexts } from "@touchstone/service-kit/thread";
import { composeGradingMembers } from "../grading/grading-members.ts";
import { findMistake, flag, numberWithin } from "../json/member-rules.ts";
import { findQuestionMistake } from "./check-question.ts";
import type { DatasetVersion } from "./dataset-store.ts";
import { textsOf } from "./dataset-summary.ts";

/**
 * Turns the body of `POST .../datasets` into the stored document: the dataset as clients read it, without its id, status and
 * time (interface: Dataset; completions 3.1, 3.2). It is text: questions and code scorers stay as they were sent. Throws
 * `bad_request` with the specified message for the first rule that is broken.
 */
export function composeDatasetDocument(body: JsonObject, createId: () => string): string {
  const { value } = body;
  const texts = textsOf(body.text);
  const document = composeGradingMembers({ value, texts }, createId);
  const keep = (name: string) => document.push({ name, valueText: texts.get(name) as string });

  if (!isAbsent(value.ci)) {
    refuse(findCiMistake(value.ci));
    keep("ci");
  }
  if (value.metadata !== undefined) keep("metadata");
  if (isAbsent(value.questions)) {
    document.push({ name: "questions", valueText: "[]" });
  } else {
    checkQuestions(value.questions);
    keep("questions");
  }
  return objectText(document);
}

/** The texts around a document that make it the dataset as clients read it (interface: Dataset). */
export function wrapDataset(dataset: { id: string; version: number; createdAt: Date }): [head: string, tail: string] {
  const id = JSON.stringify(dataset.id);
  const createdAt = JSON.stringify(dataset.createdAt);
  // A document is never empty: it has a name, a number of requests and questions.
  return [`{"_id":${id},`, `,"status":"published","version":${dataset.version},"createdAt":${createdAt}}`];
}

/** The dataset as clients read it, from the document and the store's columns, in texts that follow one another. */
export function renderDataset(dataset: { id: string; version: number; document: string; createdAt: Date }): string[] {
  const [head, tail] = wrapDataset(dataset);
  return [head, dataset.document.slice(1, -1), tail];
}

function checkQuestions(questions: unknown): void {
  if (!Array.isArray(questions)) throw new AppError("bad_request", "questions must be an array");
  for (const [index, question] of questions.entries()) refuse(findQuestionMistake(question, `questions[${index}]`));
}

function refuse(mistake: string | null): void {
  if (mistake !== null) throw new AppError("bad_request", mistake);
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** A version as clients read it (completions 3.3). Versions made with a project key have no author. */
export function renderDatasetVersion(datasetId: string, version: DatasetVersion): string[] {
  return objectTexts([
    member("_id", `${datasetId}:${version.version}`),
    member("versionNumber", version.version),
    member("changeSummary", version.changeSummary),
    { name: "snapshot", valueText: version.document },
    member("createdAt", version.createdAt),
    member("creator", null),
  ]);
}

/** The number in a version's id, or null when the id is not one of the dataset's. */
export function readDatasetVersionId(datasetId: string, id: string): number | null {
  const parts = /^(.*):([1-9]\d{0,8})$/.exec(id);
  return parts !== null && parts[1] === datasetId ? Number(parts[2]) : null;
}

function member(name: string, value: unknown): JsonMember {
  return { name, valueText: JSON.stringify(value) };
}

const share = numberWithin(0, 1);
const ciRules = {
  enabled: flag,
  passRateThreshold: share,
  exposeTestInputs: flag,
  failFast: flag,
  ratingThreshold: numberWithin(limits.ratingMin, limits.ratingMax),
};
const thresholdRules = { vectorSimilarity: share, jaccardSimilarity: share, bleuScore: share, rougeScore: share };

/** The error message for the first rule that a dataset's CI settings break (completions 8.1), or null. */
function findCiMistake(ci: unknown): string | null {
  return (
    findMistake("ci", ci, ciRules) ??
    findMistake("ci.thresholds", (ci as { thresholds?: unknown } | null | undefined)?.thresholds, thresholdRules)
  );
}
