import type { StoredResult } from "./stored-result.ts";

/** The columns that `evals.results` and `evals.claims` share: one result. */
export const resultColumns = `
  key_digest, id, idempotency_key, case_id, question_index, run_number, is_variant,
  status, skip_reason, rating, document, submitted_context`;

/**
 * A select that yields results sent as parameters, one array for each of {@link resultColumns}; `first` is the number of the
 * first parameter. The values are {@link resultValues}.
 */
export function selectSentResults(first: number): string {
  const types = [
    "bytea",
    "uuid",
    "text",
    "text",
    "bigint",
    "bigint",
    "boolean",
    "text",
    "text",
    "double precision",
    "text",
    "text",
  ];
  const arrays = types.map((type, index) => `$${first + index}::${type}[]`).join(", ");
  return `
    select
      key_digest, id, idempotency_key::json as idempotency_key, case_id::json as case_id,
      question_index, run_number, is_variant, status, skip_reason, rating, document::json as document, submitted_context::json as submitted_context
    from unnest(${arrays}) as sent (${resultColumns})`;
}

/**
 * Digests as a parameter of type `bytea[]`. With row-level security, a statement that decoded them itself could not use the
 * index: PostgreSQL evaluates functions that are not leakproof only after the row was read.
 */
export const digestValues = (keyDigests: readonly string[]): Buffer[] =>
  keyDigests.map((keyDigest) => Buffer.from(keyDigest, "hex"));

/** The parameters of {@link selectSentResults}. */
export function resultValues(results: readonly StoredResult[]): unknown[] {
  return [
    digestValues(results.map((result) => result.keyDigest)),
    results.map((result) => result.id),
    results.map((result) => JSON.stringify(result.idempotencyKey)),
    results.map((result) => JSON.stringify(result.caseId)),
    results.map((result) => result.questionIndex),
    results.map((result) => result.runNumber),
    results.map((result) => result.isVariant),
    results.map((result) => result.status),
    results.map((result) => result.skipReason),
    results.map((result) => result.rating),
    results.map((result) => JSON.stringify(result.row)),
    results.map((result) => (result.submittedContext === null ? null : JSON.stringify(result.submittedContext))),
  ];
}
