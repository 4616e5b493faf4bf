import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { linesOf } from "../lines.ts";
import { Failure } from "../surroundings.ts";
import type { List } from "./lists.ts";
import { isParquet, readColumnNames, readParquet } from "./read-parquet.ts";
import { camelCase, Row } from "./row.ts";

/** What the rows of an export file are. */
export type FileKind = "traces" | "observations" | "scores";

/** An export file: Parquet, or a row a line as JSON, perhaps compressed with gzip. */
export interface ExportFile {
  file: string;
  kind: FileKind;
  /** The first row has members that only an observation of version 4 has. */
  namesTraces: boolean;
}

const pageRows = 500;

/** Tells what a file is by its columns, or by its first line. Throws a Failure for a file that is no export. */
export async function openExportFile(file: string): Promise<ExportFile> {
  if (!(await stat(file).catch(() => null))?.isFile()) throw new Failure(`${file} cannot be read.`);
  const names = new Set(await readNames(file));
  const kind = kindOf(names);
  if (kind !== null) return { file, kind, namesTraces: names.has("traceName") };
  throw new Failure(
    `${file} is no export of Langfuse: a row must be a trace, an observation or a score, as Parquet or a line of JSON.`,
  );
}

/** The members of its rows, as the API names them. */
async function readNames(file: string): Promise<string[]> {
  if (await isParquet(file)) return (await readColumnNames(file)).map(camelCase);
  for await (const { row } of readLines(file, 0)) return [...row.members()].map(([name]) => name);
  return [];
}

function kindOf(names: ReadonlySet<string>): FileKind | null {
  if (!names.has("id")) return null;
  if (names.has("startTime")) return "observations";
  if (names.has("value") || names.has("stringValue")) return "scores";
  return names.has("timestamp") ? "traces" : null;
}

/** The rows of a file in pages. A position is the number of lines, or rows of Parquet, before it. Pages that follow one another read on. */
export function fileList(file: string): List {
  let open: { position: string; rows: AsyncGenerator<{ row: Row; line: number }> } | null = null;
  return async (position) => {
    const begun = open !== null && open.position === position ? open.rows : readRows(file, Number(position ?? 0));
    const rows: Row[] = [];
    for (let read = await begun.next(); read.done !== true; read = await begun.next()) {
      rows.push(read.value.row);
      if (rows.length < pageRows) continue;
      open = { position: String(read.value.line), rows: begun };
      return { rows, next: open.position };
    }
    return { rows, next: null };
  };
}

async function* readRows(file: string, after: number): AsyncGenerator<{ row: Row; line: number }> {
  yield* (await isParquet(file)) ? readParquet(file, after) : readLines(file, after);
}

async function* readLines(file: string, after: number): AsyncGenerator<{ row: Row; line: number }> {
  const stream = createReadStream(file);
  const input = file.endsWith(".gz") ? stream.pipe(createGunzip()) : stream;
  let line = 0;
  try {
    for await (const text of linesOf(input)) {
      line += 1;
      if (line > after && text.trim() !== "") yield { row: toRow(text, `${file}:${line}`), line };
    }
  } finally {
    stream.destroy();
  }
}

function toRow(text: string, place: string): Row {
  try {
    JSON.parse(text);
  } catch {
    throw new Failure(`${place} is no JSON.`);
  }
  return new Row(text);
}
