import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type AnswerOf, ApiError, bodyOf, type Touchstone } from "@touchstone/sdk";
import { linesOf } from "./lines.ts";
import { Failure } from "./surroundings.ts";

/** A line of `media.ndjson`; `POST /media` takes it as it is. */
interface ExportedMedia {
  id: string;
  contentType: string;
  contentLength: number;
  sha256: string;
}

/** The contents lie beside the file of an export, each under its id. */
const contentOf = (file: string, id: string): string => path.join(path.dirname(file), "media", id);

/**
 * Downloads the contents of exported media into a folder beside their file. What is there already stays. Returns how many
 * there are; what was deleted in the meantime is missing.
 */
export async function saveContents(client: Touchstone, file: string, signal: AbortSignal): Promise<number> {
  await mkdir(path.join(path.dirname(file), "media"), { recursive: true });
  let saved = 0;
  let last = "";
  for await (const { id, contentLength } of readMedia(file)) {
    // The lines of one medium follow one another.
    if (id === last) continue;
    last = id;
    const target = contentOf(file, id);
    if ((await sizeOf(target)) === contentLength || (await saveContent(client, { id, target, signal }))) saved += 1;
  }
  return saved;
}

async function saveContent(
  client: Touchstone,
  { id, target, signal }: { id: string; target: string; signal: AbortSignal },
): Promise<boolean> {
  const read = bodyOf(client.api.GET("/api/v1/media/{mediaId}", { params: { path: { mediaId: id } }, signal }));
  const media = await read.catch(orGone);
  if (media?.url == null) return false;
  const answer = await client.request(pathOf(media.url), { signal }).catch(orGone);
  if (answer === null) return false;
  const part = `${target}.part`;
  const content = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(content, createWriteStream(part), { signal });
  await rename(part, target);
  return true;
}

/** It was deleted in the meantime. */
function orGone(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status === 404) return null;
  throw thrown;
}

/**
 * Stores exported media again, with their links; contents that the project has are not sent. A medium that was deleted during the
 * export has no file: it is missing, and the others are stored.
 */
export async function storeMedia(
  client: Touchstone,
  file: string,
  signal: AbortSignal,
): Promise<{ stored: number; replayed: number; missing: string[] }> {
  const tally = { stored: 0, replayed: 0, missing: [] as string[] };
  for await (const { id, ...line } of readMedia(file)) {
    const announced: AnswerOf<"registerMedia", 201> = await bodyOf(
      client.api.POST("/api/v1/media", { body: line, signal }),
    );
    if (announced.uploadUrl === null) {
      tally.replayed += 1;
      continue;
    }
    const content = contentOf(file, id);
    if ((await sizeOf(content)) === null) {
      tally.missing.push(content);
      continue;
    }
    await client.request(pathOf(announced.uploadUrl), { method: "PUT", body: await readFile(content), signal });
    tally.stored += 1;
  }
  return tally;
}

async function* readMedia(file: string): AsyncGenerator<ExportedMedia> {
  for await (const line of linesOf(createReadStream(file))) {
    const media = JSON.parse(line) as ExportedMedia;
    if (!/^[\w-]{22}$/.test(media.id)) throw new Failure(`${file} has a line that is no exported medium.`);
    yield media;
  }
}

async function sizeOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ size }) => size,
    () => null,
  );
}

/** The client knows under which address it reaches the installation. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url, "http://installation");
  return pathname + search;
}
