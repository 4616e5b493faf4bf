import { limits } from "@touchstone/contracts/limits";
import { OtlpDecodeError } from "./otlp-decode-error.ts";

/** Counts the parts of an export, and rejects the export if there are too many. */
export interface ExportCount {
  /** Counts a resource, a scope, a list, or another envelope member. */
  envelope(): void;
  item(): void;
}

export function countExport(): ExportCount {
  let envelopes = 0;
  let items = 0;
  return {
    envelope() {
      envelopes += 1;
      if (envelopes > limits.otlpEnvelopesMax) {
        throw new OtlpDecodeError(`The body holds more than ${limits.otlpEnvelopesMax} resources, scopes and lists.`);
      }
    },
    item() {
      items += 1;
      if (items > limits.otlpItemsMax) {
        throw new OtlpDecodeError(`The body holds more than ${limits.otlpItemsMax} spans, log records or metrics.`);
      }
    },
  };
}
