import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { AnswerOf, Touchstone } from "@touchstone/sdk";
import type { Command } from "commander";
import { addImportLangfuse } from "./langfuse/command.ts";
import { linesOf } from "./lines.ts";
import { storeMedia } from "./media.ts";
import { showProgress } from "./progress.ts";
import { exitCodes, Failure, type Surroundings } from "./surroundings.ts";

type Imported = AnswerOf<"importTraces", 200>;

const pieceBytes = 8 * 1024 * 1024;
const shownReasons = 20;

const progressFormat = "{percent} %: {stored} stored, {replayed} stored before, {rejected} rejected";

/** `touchstone import <file>` */
export function addImport(program: Command, surroundings: Surroundings): void {
  const { client, print, note, interrupted } = surroundings;
  const importing = program
    .command("import")
    .enablePositionalOptions()
    .description(
      "Take back exported traces or media, or OTLP exports as JSON, one a line. What is stored already stays as it is.",
    )
    .argument("<file>", "traces.ndjson or media.ndjson of an export")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the counts as JSON")
    .action(async (file: string, { url, json }: { url?: string; json?: boolean }) => {
      const api = client(url);
      if (path.basename(file) === "media.ndjson") {
        const { stored, replayed, missing } = await storeMedia(api, file, interrupted);
        for (const content of missing.slice(0, shownReasons)) note(`${content} is missing`);
        const tally = { stored, replayed, missing: missing.length };
        const words = `${stored} contents stored, ${replayed} were stored before, ${missing.length} are missing.`;
        print(json ? JSON.stringify(tally) : words);
        process.exitCode = missing.length > 0 ? exitCodes.failed : exitCodes.passed;
        return;
      }
      const sum = await importTraces(api, file, surroundings);
      for (const { line, error } of sum.reasons.slice(0, shownReasons)) note(`line ${line}: ${error}`);
      print(
        json
          ? JSON.stringify(sum)
          : `${sum.stored} spans stored, ${sum.replayed} were stored before, ${sum.rejected} rejected.`,
      );
      process.exitCode = sum.rejected > 0 ? exitCodes.failed : exitCodes.passed;
    });
  addImportLangfuse(importing, surroundings);
}

/** Sends a file in pieces. */
async function importTraces(api: Touchstone, file: string, surroundings: Surroundings): Promise<Imported> {
  const { note, isTerminal, interrupted } = surroundings;
  const sum: Imported = { stored: 0, replayed: 0, rejected: 0, reasons: [] };
  const { size: total } = await stat(file).catch(() => ({ size: 0 }));
  const view = showProgress({ total, format: progressFormat, note, isTerminal, lineEveryMs: 0 });
  let bytes = 0;
  try {
    for await (const { text, firstLine } of readPieces(file)) {
      const { stored, replayed, rejected, reasons } = await importPiece(api, text, interrupted);
      sum.stored += stored;
      sum.replayed += replayed;
      sum.rejected += rejected;
      sum.reasons.push(...reasons.map(({ line, error }) => ({ line: line + firstLine - 1, error })));
      bytes = Math.min(total, bytes + Buffer.byteLength(text));
      const figures = { stored: sum.stored, replayed: sum.replayed, rejected: sum.rejected };
      view.update(bytes, { ...figures, percent: Math.floor((100 * bytes) / total) });
    }
  } finally {
    view.stop();
  }
  return sum;
}

async function importPiece(client: Touchstone, text: string, signal: AbortSignal): Promise<Imported> {
  const response = await client.request("/api/v1/import/traces", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: text,
    signal,
  });
  return (await response.json()) as Imported;
}

/** Whole lines up to a size that one request may have; a longer line is a piece by itself. */
async function* readPieces(file: string): AsyncGenerator<{ text: string; firstLine: number }> {
  const stream = createReadStream(file);
  const opened = new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Failure(`${file} cannot be read: ${error.code}.`)),
    );
  });
  await opened;
  let text = "";
  let firstLine = 1;
  let line = 0;
  for await (const next of linesOf(stream)) {
    line += 1;
    text += `${next}\n`;
    if (text.length < pieceBytes) continue;
    yield { text, firstLine };
    text = "";
    firstLine = line + 1;
  }
  if (text !== "") yield { text, firstLine };
}
