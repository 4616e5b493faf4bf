import type { Sliced } from "@touchstone/service-kit";
import { scanMembersInSlices, walkElements } from "@touchstone/service-kit";
import { copyText, cutText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";

/** Members that hold the text of a document; first the one of mapped OTLP documents. */
const contentNames = ["content", "text", "page_content", "pageContent", "document"];
/** Members that hold the list inside an object. */
const listNames = ["documents", "results", "outputs"];
/** A document is searched for its text down to this depth. Each level reads it once more. */
const contentDepthMax = 4;

/** What may still be kept of the documents of one trace. */
export interface DocumentRoom {
  documents: number;
  chars: number;
}

/** Stored rows were validated as JSON on arrival. */
const stored = { isStored: true };

/**
 * The texts of retrieved documents, without blank ones: the elements of a list, or of the one list inside an object;
 * else the value itself. A document is its text, else its JSON text. Takes what it returns from `room`, cuts the last
 * text that does not fit, and reads nothing behind it.
 */
export function* readRetrievedTexts(json: JsonText | null, room: DocumentRoom): Sliced<string[]> {
  const texts: string[] = [];
  if (json === null || json === "null") return texts;
  const list = yield* findList(json);
  if (list === null) {
    keep(yield* textOf(json), texts, room);
    return texts;
  }
  for (const element of walkElements(list, stored)) {
    if (room.documents <= 0 || room.chars <= 0) break;
    if (element === undefined) yield;
    else keep(yield* textOf(element.text), texts, room);
  }
  return texts;
}

function keep(text: string, texts: string[], room: DocumentRoom): void {
  if (text.trim() === "" || room.documents <= 0) return;
  const kept = copyText(cutText(text, room.chars));
  room.documents -= 1;
  room.chars -= Math.min(text.length, room.chars);
  if (kept !== "") texts.push(kept);
}

function* findList(json: JsonText): Sliced<JsonText | null> {
  if (json.startsWith("[")) return json;
  if (!json.startsWith("{")) return null;
  const { members } = yield* scanMembersInSlices(json, { ...stored, only: listNames });
  return listNames.map((name) => members?.get(name)).find((member) => member?.type === "array")?.text ?? null;
}

/** Of JSON that is not a document, its JSON text. */
function* textOf(json: JsonText): Sliced<string> {
  if (json === "null") return "";
  let value = json;
  for (let depth = 0; depth <= contentDepthMax; depth += 1) {
    if (value.startsWith('"')) return JSON.parse(value) as string;
    if (!value.startsWith("{")) break;
    const { members } = yield* scanMembersInSlices(value, { ...stored, only: contentNames });
    const found = contentNames.map((name) => members?.get(name)).find((member) => isContent(member?.type));
    if (found === undefined) break;
    value = found.text;
  }
  return json;
}

const isContent = (type: string | undefined): boolean => type === "string" || type === "object" || type === "array";
