import { isRawNumber, looselyParsed } from "../../messages/json-text.ts";
import type { AttributeValue } from "../wire/received-span.ts";

/** Vectors of this many numbers or more are dropped: nobody reads them and they would outweigh all else (otlp 5.6). */
const vectorNumbersMin = 64;

/** Whether an attribute is an embedding vector, or a list of them, too large to keep. */
export function isLargeVector(key: string, value: AttributeValue): boolean {
  if (!key.includes("embedding")) return false;
  const parsed = looselyParsed(value);
  if (!Array.isArray(parsed)) return false;
  return isVector(parsed) || (parsed.length > 0 && parsed.every((item) => isVector(looselyParsed(item))));
}

function isVector(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < vectorNumbersMin) return false;
  return value.every((item) => typeof item === "number" || isRawNumber(item));
}
