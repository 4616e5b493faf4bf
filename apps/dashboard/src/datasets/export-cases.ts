import type { Question } from "./queries.ts";

/** The columns that an import reads, in their order, and what fills them. */
const columns: Readonly<Record<string, (question: Question) => string | readonly string[] | null | undefined>> = {
  query: ({ main_question }) => main_question.query,
  expected_results: ({ main_question }) => main_question.expectedResults,
  judge_guideline: ({ main_question }) => main_question.judgeGuideline,
  retrieval_context: ({ main_question }) => [main_question.retrievalContext ?? []].flat().join("\n"),
  expected_capabilities: ({ main_question }) => main_question.expectedCapabilities,
  expected_knowledge_base: ({ main_question }) => main_question.expectedKnowledgeBase,
  expected_delegations: ({ main_question }) => main_question.expectedDelegations,
};

/**
 * The cases as a file that can be imported again. CSV has those columns of the import that some case fills, so it loses
 * fields without a column; JSON and JSON Lines keep everything.
 */
export const caseFiles = {
  json: {
    label: "JSON",
    mediaType: "application/json",
    render: (questions: readonly Question[]) => JSON.stringify(questions, null, 2),
  },
  jsonl: {
    label: "JSON Lines",
    mediaType: "application/x-ndjson",
    render: (questions: readonly Question[]) => questions.map((question) => `${JSON.stringify(question)}\n`).join(""),
  },
  csv: { label: "CSV", mediaType: "text/csv", render: renderCsv },
} as const;

export type CaseFile = keyof typeof caseFiles;

function renderCsv(questions: readonly Question[]): string {
  const rows = questions.map((question) =>
    Object.entries(columns).map(([name, read]) => [name, [read(question) ?? []].flat().join(";")] as const),
  );
  const used = Object.keys(columns).filter(
    (name) => name === "query" || rows.some((row) => row.some(([column, text]) => column === name && text !== "")),
  );
  const lines = rows.map((row) =>
    row
      .filter(([name]) => used.includes(name))
      .map(([, text]) => quote(escapeFormula(text)))
      .join(","),
  );
  return [used.join(","), ...lines, ""].join("\n");
}

/** A spreadsheet would run it, and texts of recorded traffic may be anyone's. An import removes the apostrophe again. */
const escapeFormula = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const quote = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** `refund-policy.csv` for a dataset of this name. */
export function caseFileName(datasetName: string, format: CaseFile): string {
  const words = datasetName
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${words || "dataset"}.${format}`;
}
