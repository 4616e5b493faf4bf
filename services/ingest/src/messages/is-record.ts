import { isRawNumber } from "./json-text.ts";

/** Whether a JSON value is an object with members: not null, not a list, not a number kept as its literal. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
