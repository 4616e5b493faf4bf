import { elementsOf, membersOf } from "@touchstone/service-kit/thread";

/** The summary of a dataset's newest version for lists, with values that text columns can store. */
export interface DocumentSummary {
  name: string;
  description: string | null;
  caseCount: number;
  /** JSON text as it was sent; null: the document has none. */
  metadata: string | null;
}

/** A document in the form in which it is stored and sent, with its summary. */
export interface EncodedDocument {
  bytes: Uint8Array<ArrayBuffer>;
  summary: DocumentSummary;
}

/** Lists show longer texts truncated. */
const shownMaxChars = 500;

/** A document cut at its members, and its cases. */
export interface CutDocument {
  texts: ReadonlyMap<string, string>;
  cases: readonly string[];
}

export function cutDocument(document: string): CutDocument {
  const texts = textsOf(document);
  return { texts, cases: elementsOf(texts.get("questions") ?? "[]") };
}

/** Summarizes a document of a dataset. */
export function summarizeDocument({ texts, cases }: CutDocument): DocumentSummary {
  return summaryOf({ ...readHead(texts), caseCount: cases.length, metadata: texts.get("metadata") ?? null });
}

/** A summary of values that were read. Characters that a column cannot store are removed or replaced. */
export function summaryOf({ name, description, ...rest }: DocumentSummary): DocumentSummary {
  return { ...rest, name: columnText(name), description: description === null ? null : columnText(description) };
}

/** The name and the description of a document, in full. */
export function readHead(texts: ReadonlyMap<string, string>): { name: string; description: string | null } {
  return {
    name: JSON.parse(texts.get("name") ?? '""'),
    description: JSON.parse(texts.get("description") ?? "null"),
  };
}

/** The members of a JSON object, as texts by name. */
export const textsOf = (objectText: string): Map<string, string> =>
  new Map(membersOf(objectText).map(({ name, valueText }) => [name, valueText]));

const columnText = (text: string): string => text.replaceAll("\0", "").slice(0, shownMaxChars).toWellFormed();
