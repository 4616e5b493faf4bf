import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import { documentSources } from "./content-sources.ts";
import { toNumber } from "./read-source.ts";
import type { SpanFacts } from "./span-facts.ts";

/** Members that hold the text of a document, by producer. */
const contentNames = ["content", "page_content", "pageContent", "text", "document"];

/**
 * The documents of a retrieval or reranker span, `{id, content, score, metadata}` as far as present, other members
 * unchanged; null if it lists none (otlp 5.3, retrieval docs). They are the span's output, which judges read as
 * context.
 */
export function readDocuments(facts: SpanFacts): Record<string, unknown>[] | null {
  for (const source of documentSources) {
    if ("event" in source) {
      const events = facts.events(source.event);
      if (events.length === 0) continue;
      facts.consumeEvents(events);
      return events.map(({ attributes }) => toDocument(withoutPrefix(attributes, source.prefix)));
    }
    const keys = "family" in source ? (facts.family(source.family)?.keys ?? []) : [source.attribute];
    const value = "family" in source ? facts.family(source.family)?.items : facts.parsed(source.attribute);
    const list = documentList(value);
    if (list === null) continue;
    facts.consume(keys);
    return list.map(toDocument);
  }
  return null;
}

/** A list, or the one list inside an object: `{documents}`, `{outputs}`, `{results}`. */
function documentList(value: unknown): Record<string, unknown>[] | null {
  const list = isRecord(value) ? (value.documents ?? value.outputs ?? value.results) : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isRecord)) return null;
  return list.map((item) => (isRecord(item.document) ? { ...item, ...item.document, document: undefined } : item));
}

function toDocument(item: Record<string, unknown>): Record<string, unknown> {
  const name = contentNames.find((candidate) => isText(item[candidate]));
  const document: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    if (value === undefined || value === null) continue;
    if (key === name) document.content = value;
    else if (key === "score") document.score = toNumber(value) ?? value;
    else if (key === "metadata") document.metadata = looselyParsed(value);
    else if (key !== "__proto__") document[key] = value;
  }
  return document;
}

function withoutPrefix(attributes: ReadonlyMap<string, unknown>, prefix: string): Record<string, unknown> {
  const members = [...attributes].filter(([key]) => key.startsWith(prefix) && !key.endsWith(".vector"));
  return Object.fromEntries(members.map(([key, value]) => [key.slice(prefix.length), value]));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
