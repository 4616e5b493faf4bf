import { createHash } from "node:crypto";

/* Ids of Langfuse are any text; those of spans are hexadecimal digits. The same text has the same id everywhere. */

/** The OpenTelemetry id of a trace: of a UUID its digits, else a hash. */
export function traceIdOf(id: string): string {
  const digits = id.replaceAll("-", "").toLowerCase();
  return isSet(digits, 32) && /^(?:\w{32}|\w{8}(?:-\w{4}){3}-\w{12})$/.test(id) ? digits : hashOf("trace", id, 32);
}

/** The OpenTelemetry id of an observation: its own, as the newer clients make them, else a hash. */
export function spanIdOf(observationId: string): string {
  return isSet(observationId, 16) ? observationId : hashOf("observation", observationId, 16);
}

/** What {@link traceIdOf} loses: the id, if it becomes a hash; null if its digits are kept. */
export function lostTraceId(id: string): string | null {
  return traceIdOf(id) === id.replaceAll("-", "") ? null : id;
}

/** What {@link spanIdOf} loses: the id, if it becomes a hash. */
export function lostSpanId(observationId: string): string | null {
  return spanIdOf(observationId) === observationId ? null : observationId;
}

/** The span of the trace itself, above its observations. */
export function rootIdOf(traceId: string): string {
  return hashOf("root", traceId, 16);
}

function isSet(digits: string, length: number): boolean {
  return digits.length === length && /^[0-9a-f]+$/.test(digits) && !/^0+$/.test(digits);
}

function hashOf(kind: string, id: string, length: number): string {
  return createHash("sha256").update(`langfuse ${kind}\0${id}`).digest("hex").slice(0, length);
}
