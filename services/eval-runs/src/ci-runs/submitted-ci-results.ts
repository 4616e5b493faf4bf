import { limits } from "@touchstone/contracts";
import { AppError, elementsOf, isJsonObject, type JsonObject, memberText } from "@touchstone/service-kit";
import type { SubmittedResult } from "../judging/judgement.ts";
import { readEither } from "./ci-request.ts";

/** The body of `POST /ingest/ci-runs/{ciRunId}/results`: one result, or several under `results`. */
export interface SubmittedCiResults {
  isBulk: boolean;
  results: SubmittedResult[];
}

/**
 * Reads the body (completions 8.3). Unlike in a batch of an evaluation run, no result is dropped: a pipeline that sent
 * unreadable results would fail its gate without an explanation. Throws `bad_request` for the first rule that is broken. No
 * message contains the letters by which clients recognize a dataset with CI disabled.
 */
export function readSubmittedCiResults(body: JsonObject, totalQuestions: number): SubmittedCiResults {
  const { results } = body.value;
  if (results === undefined || results === null) {
    return { isBulk: false, results: [readResult(body, totalQuestions)] };
  }
  const max = limits.resultsPerBatchMax;
  if (!Array.isArray(results) || results.length === 0) refuse("results must be a non-empty array");
  if (results.length > max) refuse(`results must have at most ${max} entries`);
  const texts = elementsOf(memberText(body.text, "results") as string);
  return {
    isBulk: true,
    results: results.map((value: unknown, index) => {
      if (!isJsonObject(value)) refuse("Every results entry must be an object");
      return readResult({ text: texts[index] as string, value }, totalQuestions);
    }),
  };
}

/** One result per question: the key is the question's (completions 8.3, same question again). */
function readResult(body: JsonObject, totalQuestions: number): SubmittedResult {
  const { value } = body;
  const questionIndex = readEither(value, "question_index", "questionIndex").value;
  if (!isIndex(questionIndex, totalQuestions)) {
    refuse(`question_index must be an integer between 0 and ${totalQuestions - 1}`);
  }
  const outputText = readFreeText(body, "output");
  const error = readError(value.error);
  if (outputText === null && error === null) refuse("output is required");
  return {
    idempotencyKey: `ci:${questionIndex}`,
    caseId: `case-${questionIndex}`,
    questionIndex: questionIndex as number,
    runNumber: 1,
    query: readFreeText(body, "input"),
    outputText,
    error,
    traceId: readOptional(readEither(value, "trace_id", "traceId").value, "trace_id", isString, "a string"),
    retrievalContext: null,
    latencyMs: readOptional(readEither(value, "latency_ms", "latencyMs").value, "latency_ms", isNumber, "a number"),
    inputTokens: null,
    outputTokens: null,
    isVariant: false,
    variantText: null,
    scores: null,
  };
}

/** A string unchanged, any other JSON as its text. */
function readFreeText({ text, value }: JsonObject, name: string): string | null {
  const member = value[name] ?? null;
  if (member === null) return null;
  return typeof member === "string" ? member : (memberText(text, name) as string);
}

function readError(error: unknown): SubmittedResult["error"] {
  if (error === undefined || error === null) return null;
  if (!isJsonObject(error)) return refuse("error must be an object");
  const type = readOptional(error.type, "error.type", isString, "a string");
  const message = readOptional(error.message, "error.message", isString, "a string");
  return { ...(type !== null && { type }), ...(message !== null && { message }) };
}

function readOptional<Value>(
  value: unknown,
  name: string,
  holds: (value: unknown) => value is Value,
  words: string,
): Value | null {
  if (value === undefined || value === null) return null;
  return holds(value) ? value : refuse(`${name} must be ${words}`);
}

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isIndex = (value: unknown, count: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;

function refuse(message: string): never {
  throw new AppError("bad_request", message);
}
