import { submittedResult } from "@touchstone/contracts";
import { memberText } from "@touchstone/service-kit";
import { z } from "zod";
import type { SubmittedResult } from "../judging/judgement.ts";

/** The contract, relaxed: null counts as absent, and a query or output may be other JSON than text. */
const accepted = submittedResult.extend({
  idempotencyKey: z.string().min(1),
  questionIndex: z.int().nullish(),
  runNumber: z.int().nullish(),
  caseId: z.string().nullish(),
  input: z.looseObject({ query: z.unknown() }).nullish(),
  output: z.looseObject({ text: z.unknown() }).nullish(),
  error: z.looseObject({ type: z.string().nullish(), message: z.string().nullish() }).nullish(),
  isSmokeTestVariant: z.boolean().nullish(),
  // Read for external runs only: other clients may send anything here.
  codeScorerResults: z.unknown().optional(),
});

const scoresOfClient = submittedResult.shape.codeScorerResults.unwrap();

/**
 * Reads one element of a batch, given as parsed value and as text. Null = dropped and counted in `failedValidation`: no
 * idempotency key, neither output nor error (nor, in an external run, a trace that will have the output), or a field of the wrong
 * type.
 */
export function readSubmittedResult(
  value: unknown,
  text: string,
  { isExternal }: { isExternal: boolean } = { isExternal: false },
): SubmittedResult | null {
  const parsed = accepted.safeParse(value);
  if (!parsed.success) return null;
  const result = parsed.data;
  const outputText = readText(result.output?.text, text, "output", "text");
  const comesWithTrace = isExternal && !isAbsent(result.traceId);
  if (outputText === null && isAbsent(result.error) && !comesWithTrace) return null;
  const scores = scoresOfClient.safeParse(isExternal ? (result.codeScorerResults ?? null) : null);
  if (!scores.success) return null;
  const questionIndex = result.questionIndex ?? 0;
  return {
    idempotencyKey: result.idempotencyKey,
    caseId: result.caseId ?? `case-${questionIndex}`,
    questionIndex,
    runNumber: result.runNumber ?? 1,
    query: readText(result.input?.query, text, "input", "query"),
    outputText,
    error: isAbsent(result.error) ? null : readError(result.error),
    traceId: result.traceId ?? null,
    retrievalContext: result.retrievalContext ?? null,
    latencyMs: result.timings?.latencyMs ?? null,
    inputTokens: result.timings?.inputTokens ?? null,
    outputTokens: result.timings?.outputTokens ?? null,
    isVariant: result.isSmokeTestVariant ?? false,
    variantText: result.smokeTestVariantText ?? null,
    scores: scores.data,
  };
}

/** A text unchanged; any other JSON value as the JSON text that was sent; null when absent. */
function readText(value: unknown, resultText: string, ...path: [string, string]): string | null {
  if (isAbsent(value)) return null;
  if (typeof value === "string") return value;
  const parentText = memberText(resultText, path[0]) as string;
  return memberText(parentText, path[1]) as string;
}

function readError(error: {
  type?: string | null | undefined;
  message?: string | null | undefined;
}): NonNullable<SubmittedResult["error"]> {
  return {
    ...(!isAbsent(error.type) && { type: error.type }),
    ...(!isAbsent(error.message) && { message: error.message }),
  };
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
