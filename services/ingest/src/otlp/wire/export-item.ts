import { limits } from "@touchstone/contracts/limits";
import type { ReceivedResource, ReceivedScope } from "./received-span.ts";
import type { RefusedItemError } from "./refused-item.ts";

/** One span, log record or metric: the bytes `[start, end)` of a body, with the data of its envelopes. */
export interface ExportItem {
  start: number;
  end: number;
  /**
   * Upper bound of members and items of long JSON; 0 for short JSON, and for protobuf, which is counted while it is
   * read.
   */
  values: number;
  scope: ReceivedScope;
  resource: ReceivedResource;
  /** The reason to reject it because of its envelopes; null if they are valid. */
  fault: string | null;
}

/** The reason why a resource or scope of so many bytes and values is too large for its items, or null. */
export function envelopeFault(name: "resource" | "scope", bytes: number, values: number): string | null {
  if (bytes > limits.otlpResourceMaxBytes) return `a ${name} with more than ${limits.otlpResourceMaxBytes} bytes`;
  return values > limits.otlpResourceValuesMax
    ? `a ${name} with more than ${limits.otlpResourceValuesMax} values`
    : null;
}

/** The reason to reject the items of a resource. */
export function resourceRefusal({ message }: RefusedItemError): string {
  return `a resource with ${message}`;
}

/** The reason to reject an item without reading it, or null. */
export function itemFault({ fault, values }: ExportItem): string | null {
  return fault ?? (values > limits.otlpValuesMax ? `more than ${limits.otlpValuesMax} values` : null);
}

/** Parses the JSON value `[start, end)` of a body; throws a SyntaxError if it is invalid. */
export function parseExtent(body: Buffer, start: number, end: number): unknown {
  return JSON.parse(body.toString("utf8", start, end));
}
