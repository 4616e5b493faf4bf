/** What a list shows of a dataset's newest version, as columns of text can hold it. */
export interface DocumentSummary {
  name: string;
  description: string | null;
  caseCount: number;
}

/** Lists show the beginning of longer texts. */
const shownMaxChars = 500;

/** Sums up a document of a dataset. A character that a column cannot hold is left out, or replaced. */
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
