import { createHash } from "node:crypto";
import type { Held } from "./held.ts";
import type { Doing } from "./journal.ts";
import { objectText } from "./raw-json.ts";
import type { Row } from "./row.ts";
import type { LangfuseSource } from "./source.ts";
import { Refused, type Target } from "./target.ts";

/** Touchstone takes no larger ones. */
const contentBytesMax = 20 * 1024 * 1024;
const fields = ["input", "output", "expectedOutput", "metadata"];
const reference = /@@@langfuseMedia:type=[^|@]*\|id=([\w-]+)\|source=\w+@@@/g;

/** What the target has to know of a content. */
interface Described {
  contentType: string;
  contentLength: number;
  sha256Hash: string;
}

interface Place {
  traceId: string | null;
  observationId: string | null;
  /** Of an item, which has no trace. */
  datasetItemId: string | null;
}

/** The media that a row refers to. */
export function mediaOf(row: Row): { id: string; field: string }[] {
  return fields.flatMap((field) =>
    [...(row.raw(field) ?? "").matchAll(reference)].map(([, id = ""]) => ({ id, field })),
  );
}

/** Copies the media that rows refer to. */
export class MediaCopier {
  readonly #source: LangfuseSource;
  readonly #target: Target;
  /** Of this process, so that a content is read once. Null: it cannot be had. */
  readonly #read = new Map<string, Described | null>();
  readonly #linked = new Set<string>();

  constructor(source: LangfuseSource, target: Target) {
    this.#source = source;
    this.#target = target;
  }

  /** Adds what is stored and what is refused to `done`. */
  async copy(rows: readonly Row[], placeOf: (row: Row) => Place, done: Doing): Promise<void> {
    for (const row of rows) {
      for (const { id, field } of mediaOf(row)) {
        const place = placeOf(row);
        const link = `${id} ${place.traceId} ${place.observationId} ${place.datasetItemId} ${field}`;
        if (this.#linked.has(link)) continue;
        this.#linked.add(link);
        await this.#copyOne(id, { ...place, field }, done);
      }
    }
  }

  async #copyOne(id: string, place: Place & { field: string }, done: Doing): Promise<void> {
    const held: Held = { kind: "media", id, group: "", numbers: [] };
    const refuse = (message: string) => void done.refused.push({ kind: "media", id, message });
    const known = this.#read.get(id);
    if (known === null) return;
    done.rows.push({ held, scope: "" });
    try {
      if (known !== undefined) {
        await this.#register(known, place);
        return;
      }
      this.#read.set(id, null);
      const answer = await this.#source.find(`/media/${encodeURIComponent(id)}`);
      if (answer === null) return refuse("Langfuse does not have it.");
      const { url, contentType } = JSON.parse(answer) as { url: string; contentType: string };
      const content = await this.#source.download(new URL(url, this.#source.url).href, contentBytesMax);
      if (content === null) return refuse("It cannot be downloaded, or has more than 20 MiB.");
      const sha256Hash = createHash("sha256").update(content).digest("base64");
      const described = { contentType, contentLength: content.length, sha256Hash };
      const uploadUrl = await this.#register(described, place);
      if (uploadUrl !== null) {
        const { pathname, search } = new URL(uploadUrl, this.#target.url);
        await this.#target.upload(pathname + search, content);
      }
      this.#read.set(id, described);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.message);
    }
  }

  async #register(described: Described, place: Place & { field: string }): Promise<string | null> {
    const members = Object.entries({ ...described, ...place }).filter(([, value]) => value !== null);
    const body = objectText(Object.fromEntries(members.map(([name, value]) => [name, JSON.stringify(value)])));
    return (JSON.parse(await this.#target.post("/media", body)) as { uploadUrl: string | null }).uploadUrl;
  }
}
