import { Readable } from "node:stream";
import type { Answer } from "./answer.ts";
import { encodeTexts } from "./encode-texts.ts";
import { gatherChunks } from "./gather-chunks.ts";
import { runStep, takeTurns } from "./read-turns.ts";

type Rendered = Buffer | string | string[];

/** The source of an export's rows, page by page. */
export interface LineSource<Row> {
  /** Whose rows they are: projects take turns. */
  projectId: string;
  /** The rows after `last`, or the first ones when it is null; empty at the end. Holds nothing open afterwards. */
  readPage(last: Row | null): Promise<readonly Row[]>;
  /** Prepares some neighbouring rows for rendering; only part of a page is in that state at a time. */
  prepare?(rows: readonly Row[]): Promise<readonly Row[]>;
  /**
   * One row as JSON, whole or in texts that follow one another; long texts are encoded in parts. Line breaks between its tokens
   * become spaces, in place; nothing else changes.
   */
  render(row: Row): Rendered | Promise<Rendered>;
}

/** The number of rows that are prepared together. */
const preparedRows = 25;

const newline = Buffer.from("\n");
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/**
 * A streamed answer of JSON lines (completions 13). Nothing is read ahead: a reader that waits keeps one page in memory
 * and no transaction. A failure before the first page is thrown and becomes an ordinary refusal; a later one breaks the
 * connection, so that the client can see that the answer is incomplete. A reader that disconnects ends it.
 */
export async function answerLines<Row>(name: string, source: LineSource<Row>): Promise<Answer> {
  const firstPage = await runStep(source.projectId, () => source.readPage(null));
  return {
    status: 200,
    contentType: "application/x-ndjson; charset=utf-8",
    headers: { "content-disposition": `attachment; filename="${name}.ndjson"` },
    body: Readable.from(takeTurns(source.projectId, gatherChunks(renderLines(firstPage, source)))),
  };
}

async function* renderLines<Row>(
  firstPage: readonly Row[],
  source: LineSource<Row>,
): AsyncGenerator<Buffer[], void, undefined> {
  let page = firstPage;
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for await (const row of prepareRows(page, source)) {
      const rendered = await source.render(row);
      if (!Array.isArray(rendered)) yield [onOneLine(rendered), newline];
      else yield* inParts(rendered);
    }
    page = await source.readPage(last);
  }
}

async function* inParts(texts: readonly string[]): AsyncGenerator<Buffer[], void, undefined> {
  for await (const part of encodeTexts(texts)) yield [onOneLine(part)];
  yield [newline];
}

async function* prepareRows<Row>(page: readonly Row[], source: LineSource<Row>): AsyncGenerator<Row> {
  for (let start = 0; start < page.length; start += preparedRows) {
    const rows = page.slice(start, start + preparedRows);
    yield* (await source.prepare?.(rows)) ?? rows;
  }
}

/** Inside a JSON string a line break is an escape, so these bytes are white space between tokens. */
function onOneLine(rendered: Buffer | string): Buffer {
  const json = typeof rendered === "string" ? Buffer.from(rendered) : rendered;
  for (const code of [lineFeed, carriageReturn]) {
    for (let at = json.indexOf(code); at >= 0; at = json.indexOf(code, at + 1)) json[at] = space;
  }
  return json;
}
