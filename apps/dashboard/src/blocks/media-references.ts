import { isRecord } from "./message.ts";

/** What a text has in place of an image or a file that was uploaded by itself. */
export interface MediaReference {
  id: string;
  contentType: string;
}

const reference = /@@@langfuseMedia:type=([^|@]{1,100})\|id=([\w-]{22})\|source=\w{1,40}@@@/g;

/** References in one value that are shown. */
const shownMost = 50;
/** Values that are looked at. */
const valuesMost = 20_000;

/** A text in pieces: what is said, and the media in between. */
export function splitAtMedia(text: string): (string | MediaReference)[] {
  const pieces: (string | MediaReference)[] = [];
  let end = 0;
  for (const { 0: whole, 1: contentType = "", 2: id = "", index } of text.matchAll(reference)) {
    pieces.push(text.slice(end, index), { id, contentType });
    end = index + whole.length;
  }
  pieces.push(text.slice(end));
  return pieces.filter((piece) => typeof piece !== "string" || piece.trim() !== "");
}

/** Whether a text is one reference and nothing else. */
export function isMedia(text: string): boolean {
  const [first, ...others] = splitAtMedia(text);
  return first !== undefined && typeof first !== "string" && others.length === 0;
}

/** The media that the texts of a value refer to, each once. */
export function findMedia(value: unknown): MediaReference[] {
  const found = new Map<string, MediaReference>();
  const waiting: unknown[] = [value];
  for (let at = 0; at < Math.min(waiting.length, valuesMost) && found.size < shownMost; at += 1) {
    const next = waiting[at];
    if (typeof next === "string") {
      for (const piece of splitAtMedia(next)) if (typeof piece !== "string") found.set(piece.id, piece);
    } else if (Array.isArray(next)) waiting.push(...next.slice(0, valuesMost));
    else if (isRecord(next)) waiting.push(...Object.values(next).slice(0, valuesMost));
  }
  return [...found.values()].slice(0, shownMost);
}
