import { limits } from "@touchstone/contracts/limits";
import type { RowsType } from "@touchstone/service-kit";
import {
  AppError,
  decodeJsonText,
  elementsOf,
  isDeeperThan,
  isJsonObject,
  parseJsonText,
} from "@touchstone/service-kit/thread";
import { findQuestionMistake } from "./check-question.ts";
import { CsvError, readCsv } from "./read-csv.ts";

/** The contents of a file of cases. */
interface ImportedRows {
  /** Questions, as JSON texts (completions 3.2). */
  questions: string[];
  /** The first skipped rows, counted from 1; the count includes all of them. */
  skipped: { row: number; reason: string }[];
  skippedCount: number;
}

/** A row: a question's text, or the reason why it is invalid. */
type Row = { question: string } | { reason: string };

/** The columns of completions 3.3 and the members of a case they fill; list values are split at semicolons. */
const textColumns = {
  expected_results: "expectedResults",
  judge_guideline: "judgeGuideline",
  retrieval_context: "retrievalContext",
} as const;
const listColumns = {
  expected_capabilities: "expectedCapabilities",
  expected_knowledge_base: "expectedKnowledgeBase",
  expected_delegations: "expectedDelegations",
} as const;

/** A row is nested in a list within the document, and the document may be nested when it is sent back. */
const rowDepthMax = limits.jsonDepthMax - 2;

/**
 * Reads a file of cases: CSV with a header, a JSON array, or JSON lines. Invalid rows are skipped and reported. Throws
 * `bad_request` for a file that does not match its type, or has more than `limits.importedCasesMax` rows.
 */
export function importRows(type: RowsType, body: Uint8Array): ImportedRows {
  const text = decodeJsonText(body);
  if (type === "json") parseJsonText(text);
  const imported: ImportedRows = { questions: [], skipped: [], skippedCount: 0 };
  let number = 0;
  for (const row of rowsOf(type, text)) {
    number += 1;
    if (number > limits.importedCasesMax) {
      throw new AppError("bad_request", `An import has at most ${limits.importedCasesMax} rows`);
    }
    if ("question" in row) {
      imported.questions.push(row.question);
      continue;
    }
    imported.skippedCount += 1;
    if (imported.skipped.length < limits.importReasonsMax) imported.skipped.push({ row: number, reason: row.reason });
  }
  return imported;
}

function* rowsOf(type: RowsType, text: string): Generator<Row> {
  if (type === "csv") {
    try {
      yield* csvRowsOf(text);
    } catch (thrown) {
      throw thrown instanceof CsvError ? new AppError("bad_request", thrown.message) : thrown;
    }
  } else {
    const texts = type === "json" ? elementsOf(requireArray(text)) : linesOf(text);
    for (const rowText of texts) yield readJsonRow(rowText);
  }
}

function* csvRowsOf(csv: string): Generator<Row> {
  const records = readCsv(csv);
  const header: string[] = (records.next().value ?? []).map((name: string) => name.trim().toLowerCase());
  if (!header.includes("query")) throw new AppError("bad_request", "CSV is missing required column(s): query");
  for (const record of records) {
    if (record.length > header.length) {
      yield { reason: `the row has ${record.length} fields, the header ${header.length}` };
      continue;
    }
    // The first of two columns with one name counts.
    const entries = header.map((name, index) => [name, unescapeFormula(record[index] ?? "")] as const);
    yield readColumns(Object.fromEntries(entries.toReversed()));
  }
}

/** An export puts an apostrophe before what a spreadsheet would run. */
const unescapeFormula = (text: string): string => (/^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text);

function requireArray(text: string): string {
  if (!text.trimStart().startsWith("[")) throw new AppError("bad_request", "The body must be an array of rows");
  return text;
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** A question is kept as it was sent; other objects are read by column names. */
function readJsonRow(text: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: "the row is not JSON" };
  }
  if (isDeeperThan(value, rowDepthMax)) return { reason: `the row nests deeper than ${rowDepthMax} levels` };
  if (!isJsonObject(value)) return { reason: "the row is not an object" };
  if (!("main_question" in value)) return readColumns(value);
  const mistake = findQuestionMistake(value, "row");
  return mistake === null ? { question: text.trim() } : { reason: mistake };
}

function readColumns(columns: Readonly<Record<string, unknown>>): Row {
  const { query } = columns;
  if (typeof query !== "string" || query.trim() === "") return { reason: "query is required" };
  const main: Record<string, unknown> = { query };
  for (const [column, member] of Object.entries(textColumns)) {
    if (isFilled(columns[column])) main[member] = columns[column];
  }
  for (const [column, member] of Object.entries(listColumns)) {
    const listed = columns[column];
    if (isFilled(listed)) main[member] = typeof listed === "string" ? splitList(listed) : listed;
  }
  const question = { main_question: main };
  const mistake = findQuestionMistake(question, "row");
  return mistake === null ? { question: JSON.stringify(question) } : { reason: mistake };
}

const splitList = (text: string): string[] =>
  text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === "string" && value.trim() === "");
