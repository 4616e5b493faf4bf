import {
  formatIngestOutcome,
  type IngestOutcome,
  ingestOutcomeHeader,
  ingestRefusals,
  type ToldOutcome,
} from "@touchstone/contracts";
import { AppError, type Handler, isAppError } from "@touchstone/service-kit";

/**
 * Tells the gateway beside a refusal which one it is, for its count of them (decision 44): a 429 is a full queue or a spent
 * quota, and an invalid trace has a field that is worth naming.
 */
export function tellOutcome(handle: Handler): Handler {
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

/** The header for an outcome; none where nothing happened that the status does not say. */
export function outcomeHeaders(told: ToldOutcome | null): Record<string, string> {
  return told === null || told.count === 0 ? {} : { [ingestOutcomeHeader]: formatIngestOutcome(told) };
}

/** Null for an error that such a request has no name for. */
export function refusalOf(error: AppError): ToldOutcome | null {
  const outcome: IngestOutcome | undefined = ingestRefusals.find((reason) => reason === error.code);
  return outcome === undefined ? null : { outcome, count: 1, example: exampleOf(error) };
}

/** Names of our own fields, and figures of our own settings: a message that quotes what was sent is none. */
function exampleOf({ code, message, details }: AppError): string | null {
  if (code === "trace_quota_spent") return message;
  if (code !== "trace_invalid" || details === undefined) return null;
  const fields = Object.entries(details.fieldErrors).map(([name, [first = ""]]) => `${name}: ${first}`);
  return [...fields, ...details.formErrors].join("; ") || null;
}
