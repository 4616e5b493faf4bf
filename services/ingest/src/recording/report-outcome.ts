import {
  formatIngestOutcome,
  type IngestOutcome,
  ingestOutcomeHeader,
  ingestRefusals,
  type ReportedOutcome,
} from "@touchstone/contracts";
import { AppError, type Handler, isAppError } from "@touchstone/service-kit";

/**
 * Adds the reason of a rejection to the response, for the gateway that counts it (decision 44): a 429 is a full queue
 * or a spent quota, and an invalid trace has a field that is worth naming.
 */
export function reportOutcome(handle: Handler): Handler {
  return async (call) => {
    try {
      return await handle(call);
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown;
      const internalHeaders = { ...thrown.internalHeaders, ...outcomeHeaders(refusalOf(thrown)) };
      const { code, message, cause, retryAfterSeconds, details } = thrown;
      throw new AppError(code, message, { cause, retryAfterSeconds, details, internalHeaders });
    }
  };
}

/** The header for an outcome; empty for null or a count of 0. */
export function outcomeHeaders(reported: ReportedOutcome | null): Record<string, string> {
  return reported === null || reported.count === 0 ? {} : { [ingestOutcomeHeader]: formatIngestOutcome(reported) };
}

/** Null for an error that is not counted. */
export function refusalOf(error: AppError): ReportedOutcome | null {
  const outcome: IngestOutcome | undefined = ingestRefusals.find((reason) => reason === error.code);
  return outcome === undefined ? null : { outcome, count: 1, example: exampleOf(error) };
}

/** Field names and figures of settings. Messages that quote the payload are left out. */
function exampleOf({ code, message, details }: AppError): string | null {
  if (code === "trace_quota_spent") return message;
  if (code !== "trace_invalid" || details === undefined) return null;
  const fields = Object.entries(details.fieldErrors).map(([name, [first = ""]]) => `${name}: ${first}`);
  return [...fields, ...details.formErrors].join("; ") || null;
}
