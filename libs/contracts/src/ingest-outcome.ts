import { type IngestOutcome, ingestOutcomes, outcomeExampleMaxChars } from "./http/ingest-health.ts";

/**
 * Answer header from ingest to the gateway with details beyond the status: which of several refusals it is, or how many
 * parts of an accepted request were rejected. Never sent to clients. See {@link formatIngestOutcome}.
 */
export const ingestOutcomeHeader = "x-internal-ingest-outcome";

/** `count` is of requests, or of the parts that were rejected. The example contains no part of the payload. */
export interface ReportedOutcome {
  outcome: IngestOutcome;
  count: number;
  example: string | null;
}

export function formatIngestOutcome({ outcome, count, example }: ReportedOutcome): string {
  const text = (example ?? "").slice(0, outcomeExampleMaxChars).toWellFormed();
  return `${outcome};${count};${encodeURIComponent(text)}`;
}

/** Null for an invalid header. */
export function parseIngestOutcome(header: unknown): ReportedOutcome | null {
  if (typeof header !== "string") return null;
  const [name, count = "", text = ""] = header.split(";");
  const outcome = ingestOutcomes.find((known) => known === name);
  if (outcome === undefined || !/^[1-9]\d{0,8}$/.test(count)) return null;
  return { outcome, count: Number(count), example: text === "" ? null : decodeURIComponent(text) };
}
