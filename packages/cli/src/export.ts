import { createWriteStream } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { bodyOf, type Touchstone } from "@touchstone/sdk";
import type { Command } from "commander";
import { saveContents } from "./media.ts";
import { showProgress } from "./progress.ts";
import { Failure, type Surroundings } from "./surroundings.ts";

const newLine = "\n".charCodeAt(0);

/** `touchstone export [entity...]` */
export function addExport(program: Command, { client, print, note, isTerminal, interrupted }: Surroundings): void {
  program
    .command("export")
    .description("Write what the project has into files, one row a line as JSON.")
    .argument("[entity...]", "what to export, such as traces or runs; everything by default")
    .option("--output <folder>", "the folder of the files", "touchstone-export")
    .option("--since <time>", "only what was created at this time or later, ISO 8601")
    .option("--url <url>", "the address of Touchstone")
    .option("--json", "print the files and their rows as JSON")
    .action(async (names: string[], { output, since, url, json }: ExportFlags) => {
      const api = client(url);
      const query = since === undefined ? {} : { since };
      const { entities } = await bodyOf(api.api.GET("/api/v1/export", { params: { query } }));
      const unknown = names.filter((name) => !entities.some(({ entity }) => entity === name));
      if (unknown.length > 0) {
        throw new Failure(
          `${unknown.join(", ")} cannot be exported; ${entities.map(({ entity }) => entity).join(", ")} can.`,
        );
      }
      await mkdir(output, { recursive: true });
      const written: { entity: string; rows: number; file: string }[] = [];
      for (const { entity, rows } of entities) {
        if (names.length === 0 ? rows === 0 : !names.includes(entity)) continue;
        const file = path.join(output, `${entity}.ndjson`);
        const view = showProgress({ total: rows, format: `${entity}: {value} of {total} rows`, note, isTerminal });
        const asked = { entity, file, since, signal: interrupted, onRows: view.update };
        written.push({ entity, rows: await writeEntity(api, asked).finally(view.stop), file });
        note(`${file}: ${written.at(-1)?.rows} rows`);
        if (entity === "media") note(`${output}/media: ${await saveContents(api, file, interrupted)} contents`);
      }
      const rows = written.reduce((sum, one) => sum + one.rows, 0);
      print(json ? JSON.stringify(written) : `${rows} rows in ${written.length} files in ${output}.`);
    });
}

interface ExportFlags {
  output: string;
  since?: string;
  url?: string;
  json?: boolean;
}

interface EntityExport {
  entity: string;
  file: string;
  since: string | undefined;
  signal: AbortSignal;
  /** How many rows were read so far. */
  onRows(rows: number): void;
}

/** The file has its name only when it is complete: the server breaks the connection when it cannot go on. */
async function writeEntity(client: Touchstone, { entity, file, since, signal, onRows }: EntityExport): Promise<number> {
  const query = since === undefined ? "" : `?since=${encodeURIComponent(since)}`;
  const response = await client.request(`/api/v1/export/${entity}${query}`, { signal });
  let rows = 0;
  const part = `${file}.part`;
  await pipeline(
    Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        for (const byte of chunk) if (byte === newLine) rows += 1;
        onRows(rows);
        yield chunk;
      }
    },
    createWriteStream(part),
    { signal },
  );
  await rename(part, file);
  return rows;
}
