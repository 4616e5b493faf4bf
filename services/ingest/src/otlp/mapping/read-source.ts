import { isRawNumber, isRecord } from "../../messages/json-text.ts";
import type { Source } from "./sources.ts";
import type { SpanFacts } from "./span-facts.ts";

/**
 * The trimmed text of the first source with a non-blank text, number or boolean; null if there is none. A text longer
 * than `charsMax` is not consumed, so that it stays whole among the attributes.
 */
export function readText(facts: SpanFacts, sources: readonly Source[], charsMax?: number): string | null {
  for (const source of sources) {
    const text = scalarText(lookUp(facts, source));
    if (text !== null) {
      if (charsMax === undefined || text.length <= charsMax) consumeWhole(facts, source);
      return text;
    }
  }
  return null;
}

/** The first source with a finite number of at least 0, or text of one; null if there is none. */
export function readNumber(facts: SpanFacts, sources: readonly Source[]): number | null {
  for (const source of sources) {
    const number = toNumber(lookUp(facts, source));
    if (number !== null) {
      consumeWhole(facts, source);
      return number;
    }
  }
  return null;
}

/** The value of a source. JSON text is parsed only if a member is requested. */
export function lookUp(facts: SpanFacts, source: Source): unknown {
  if (typeof source === "string") return facts.value(source);
  if ("scope" in source && source.scope !== undefined && !facts.scope.name.startsWith(source.scope)) return undefined;
  if ("resource" in source) return facts.resource.attributes.get(source.resource);
  if ("beside" in source) {
    const beside = facts.value(source.beside);
    if (beside === undefined || (source.being && !source.being.includes(String(beside)))) return undefined;
  }
  if ("besidePrefix" in source) {
    const { attribute, besidePrefix } = source;
    const value = facts.value(attribute);
    return value !== undefined && facts.hasPrefix(besidePrefix) ? value : undefined;
  }
  if (!("member" in source)) return facts.value(source.attribute);
  const object = facts.parsed(source.attribute);
  return isRecord(object) ? object[source.member] : undefined;
}

/** A finite number of at least 0 from a number, a number kept as its literal, or decimal text. */
export function toNumber(value: unknown): number | null {
  if (isRawNumber(value)) return toNumber(Number(value.rawJSON));
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : null;
}

/** Producers that JSON-encode every attribute quote their strings as well (`"\"gpt-4o\""`). */
function scalarText(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) {
    try {
      return scalarText(JSON.parse(text));
    } catch {
      return text;
    }
  }
  return text === "" ? null : text;
}

/** A member is only part of its attribute, and the resource is stored separately. */
function consumeWhole(facts: SpanFacts, source: Source): void {
  if (typeof source === "string") facts.consume(source);
  else if ("attribute" in source && !("member" in source)) facts.consume(source.attribute);
}
