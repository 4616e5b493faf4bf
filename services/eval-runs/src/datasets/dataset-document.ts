import type { JsonObject } from "@touchstone/service-kit";
import { AppError } from "@touchstone/service-kit";
import { composeGradingMembers } from "../grading/grading-members.ts";
import { memberText, objectText } from "../json/json-text.ts";
import { findCiMistake } from "./check-ci-settings.ts";
import { findQuestionMistake } from "./check-question.ts";

/**
 * Turns the body of `POST .../datasets` into the document that is stored: the dataset as clients read it, without its
 * id, status and time (interface: Dataset; completions 3.1, 3.2). It is text: questions and code scorers stay as they
 * were sent. Throws `bad_request` with the specified sentence for the first rule that is broken.
 */
export function composeDatasetDocument(body: JsonObject, createId: () => string): string {
  const { value } = body;
  const document = composeGradingMembers(body, createId);
  const keep = (name: string) => document.push({ name, valueText: memberText(body.text, name) as string });

  if (!isAbsent(value.ci)) {
    refuse(findCiMistake(value.ci));
    keep("ci");
  }
  if (isAbsent(value.questions)) {
    document.push({ name: "questions", valueText: "[]" });
  } else {
    checkQuestions(value.questions);
    keep("questions");
  }
  return objectText(document);
}

/** The dataset as clients read it, from the document and what the store knows besides (interface: Dataset). */
export function renderDataset(dataset: { id: string; version: number; document: string; createdAt: Date }): string {
  const id = JSON.stringify(dataset.id);
  const createdAt = JSON.stringify(dataset.createdAt);
  // A document is never empty: it has a name, a number of requests and questions.
  return `{"_id":${id},${dataset.document.slice(1, -1)},"status":"published","version":${dataset.version},"createdAt":${createdAt}}`;
}

function checkQuestions(questions: unknown): void {
  if (!Array.isArray(questions)) throw new AppError("bad_request", "questions must be an array");
  for (const [index, question] of questions.entries()) refuse(findQuestionMistake(question, `questions[${index}]`));
}

function refuse(mistake: string | null): void {
  if (mistake !== null) throw new AppError("bad_request", mistake);
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
