import { limits } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { isJsonObject, type JsonObject } from "../json/json-object.ts";
import { elementsOf, type JsonMember, membersOf, objectText } from "../json/json-text.ts";

/** The texts of a dataset that are stored as they came. */
const optionalTexts = ["description", "acceptanceCriteria", "rejectionCriteria", "evaluationCriteria"] as const;
const metrics = ["vectorSimilarity", "jaccardSimilarity", "bleuScore", "rougeScore"] as const;
/** Settings of features that read them where they are used; a dataset only keeps them (completions 3.1). */
const keptObjects = ["sovereigntyIndex", "thresholds", "ci"] as const;

/**
 * Turns the body of `POST .../datasets` into the document that is stored: the dataset as clients read it, without its
 * id, status and time (interface: Dataset; completions 3.1, 3.2). It is text: questions and code scorers stay as they
 * were sent. Throws `bad_request` with the specified sentence for the first rule that is broken.
 */
export function composeDatasetDocument(body: JsonObject, createId: () => string): string {
  const { value } = body;
  const texts = new Map(membersOf(body.text).map((member) => [member.name, member.valueText]));
  const document: JsonMember[] = [];
  const keep = (name: string, valueText = texts.get(name) as string) => document.push({ name, valueText });

  if (!isFilled(value.name)) throw new AppError("bad_request", "name is required");
  keep("name");
  for (const name of optionalTexts) {
    if (isAbsent(value[name])) continue;
    if (typeof value[name] !== "string") throw new AppError("bad_request", `${name} must be a string`);
    keep(name);
  }
  keep("numberOfRequests", String(readNumberOfRequests(value.numberOfRequests)));
  for (const name of metrics) {
    const metric = value[name];
    if (isJsonObject(metric) && metric.enabled === true) keep(name, composeMetric(name, metric.model));
  }
  for (const name of keptObjects) {
    if (isAbsent(value[name])) continue;
    if (!isJsonObject(value[name])) throw new AppError("bad_request", `${name} must be an object`);
    keep(name);
  }
  const codeScorers = isAbsent(value.codeScorers)
    ? []
    : composeCodeScorers(value.codeScorers, texts.get("codeScorers") as string, createId);
  if (codeScorers.length > 0) keep("codeScorers", `[${codeScorers.join(",")}]`);
  if (isAbsent(value.questions)) {
    keep("questions", "[]");
  } else {
    checkQuestions(value.questions);
    keep("questions");
  }
  return objectText(document);
}

/** The dataset as clients read it, from the document and what the store knows besides (interface: Dataset). */
export function renderDataset(dataset: { id: string; document: string; createdAt: Date }): string {
  const id = JSON.stringify(dataset.id);
  const createdAt = JSON.stringify(dataset.createdAt);
  // A document is never empty: it has a name, a number of requests and questions.
  return `{"_id":${id},${dataset.document.slice(1, -1)},"status":"published","createdAt":${createdAt}}`;
}

function readNumberOfRequests(value: unknown): number {
  if (typeof value !== "number") return 1;
  if (!Number.isInteger(value) || value < 1 || value > limits.datasetRequestsMax) {
    throw new AppError("bad_request", `numberOfRequests must be an integer between 1 and ${limits.datasetRequestsMax}`);
  }
  return value;
}

function composeMetric(name: (typeof metrics)[number], model: unknown): string {
  return JSON.stringify(name === "vectorSimilarity" && isFilled(model) ? { enabled: true, model } : { enabled: true });
}

/** Code scorers with code, each with an id (completions 6.1). */
function composeCodeScorers(value: unknown, text: string, createId: () => string): string[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) {
    throw new AppError("bad_request", "codeScorers must be an array of objects");
  }
  const texts = elementsOf(text);
  return value.flatMap((scorer, index) => {
    if (!isFilled(scorer.code)) return [];
    if (!isAbsent(scorer.language) && scorer.language !== "javascript") {
      throw new AppError("bad_request", 'language must be "javascript"');
    }
    const scorerText = texts[index] as string;
    if (isFilled(scorer.id)) return [scorerText];
    const members = membersOf(scorerText).filter((member) => member.name !== "id");
    return [objectText([{ name: "id", valueText: JSON.stringify(createId()) }, ...members])];
  });
}

function checkQuestions(questions: unknown): void {
  if (!Array.isArray(questions)) throw new AppError("bad_request", "questions must be an array");
  for (const [index, question] of questions.entries()) {
    const main = isJsonObject(question) ? question.main_question : undefined;
    if (!isJsonObject(main) || !isFilled(main.query)) {
      throw new AppError("bad_request", "Each question must have main_question.query");
    }
    const refuse = (member: string, rule: string) => {
      throw new AppError("bad_request", `questions[${index}].main_question.${member} must be ${rule}`);
    };
    for (const member of ["expectedResults", "judgeGuideline"]) {
      if (!isAbsent(main[member]) && typeof main[member] !== "string") refuse(member, "a string");
    }
    const context = main.retrievalContext;
    const isContext = typeof context === "string" || (Array.isArray(context) && context.every(isString));
    if (!isAbsent(context) && !isContext) refuse("retrievalContext", "a string or an array of strings");
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const isString = (value: unknown): value is string => typeof value === "string";
/** A text that says something. */
const isFilled = (value: unknown): value is string => isString(value) && value.trim() !== "";
