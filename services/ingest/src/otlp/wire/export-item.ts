import { limits } from "@touchstone/contracts/limits";
import type { ReceivedResource, ReceivedScope } from "./received-span.ts";
import type { RefusedItemError } from "./refused-item.ts";

/** One span, log record or metric: the bytes `[start, end)` of a body, and what its envelopes say of it. */
export interface ExportItem {
  start: number;
  end: number;
  /** Members and items of long JSON, at most; 0 for short JSON, and for protobuf, which is counted when it is read. */
  values: number;
  scope: ReceivedScope;
  resource: ReceivedResource;
  /** Why it cannot be taken, whatever it holds; null when nothing is wrong around it. */
  fault: string | null;
}

/** Why a resource or scope of so many bytes and values is too much for its items, or null. */
export function envelopeFault(name: "resource" | "scope", bytes: number, values: number): string | null {
  if (bytes > limits.otlpResourceMaxBytes) return `a ${name} with more than ${limits.otlpResourceMaxBytes} bytes`;
  return values > limits.otlpResourceValuesMax
    ? `a ${name} with more than ${limits.otlpResourceValuesMax} values`
    : null;
}

/** Why the items of a resource cannot be taken. */
export function resourceRefusal({ message }: RefusedItemError): string {
  return `a resource with ${message}`;
}

/** Why an item cannot be taken, told without reading it, or null. */
export function itemFault({ fault, values }: ExportItem): string | null {
  return fault ?? (values > limits.otlpValuesMax ? `more than ${limits.otlpValuesMax} values` : null);
}

/** Builds the JSON value `[start, end)` of a body; throws a SyntaxError when it is none. */
export function parseExtent(body: Buffer, start: number, end: number): unknown {
  return JSON.parse(body.toString("utf8", start, end));
}
