import { memberText } from "@touchstone/service-kit";

/** The summary of a dataset's newest version for lists, with values that text columns can store. */
export interface DocumentSummary {
  name: string;
  description: string | null;
  caseCount: number;
}

/** Lists show longer texts truncated. */
const shownMaxChars = 500;

/** Summarizes a document of a dataset. Characters that a column cannot store are removed or replaced. */
export function summarizeDocument(document: string): DocumentSummary {
  const { name, description, questions } = JSON.parse(document) as {
    name: string;
    description?: string;
    questions: unknown[];
  };
  return {
    name: columnText(name),
    description: description === undefined ? null : columnText(description),
    caseCount: questions.length,
  };
}

const columnText = (text: string): string => text.replaceAll("\0", "").slice(0, shownMaxChars).toWellFormed();

/** The metadata of a document as JSON text; null: it has none. */
export function metadataOf(document: string): string | null {
  return memberText(document, "metadata") ?? null;
}
