import { limits, routes, type SubmittedSpanUpdate } from "@touchstone/contracts";
import {
  parseBody,
  parseJsonText,
  refuseBadJson,
  requireShallow,
  runAtOnce,
  runInSlices,
  type Sliced,
  scanBody,
  scanMembersInSlices,
  walkElements,
} from "@touchstone/service-kit";
import { tooManyAttributes } from "./count-attributes.ts";

/** Texts of so many characters are scanned before they are parsed: any shorter one takes a few milliseconds. */
const largeChars = 128 * 1024;

/** An update as it was sent, or without its attributes if they are too many to be parsed. */
export interface SentUpdate {
  update: SubmittedSpanUpdate;
  refusal: string | null;
}

/**
 * Reads the text of a body with span updates, and makes something of each of them. A large body is parsed update by update with
 * pauses, and attributes that are too many not at all: each new name takes more time than any value. Throws `bad_request` and
 * `body_unreadable` as `readJsonObject` and `parseBody` do.
 */
export async function readUpdates<Read>(
  text: string,
  {
    read,
    namesMax,
    signal,
  }: { read(sent: SentUpdate, index: number): Read; namesMax: number | undefined; signal(): AbortSignal },
): Promise<Read[]> {
  const work = readInSlices(text, read, namesMax);
  return text.length < largeChars ? runAtOnce(work) : await runInSlices(work, signal()).catch(refuseBadJson);
}

function* readInSlices<Read>(
  text: string,
  read: (sent: SentUpdate, index: number) => Read,
  namesMax: number | undefined,
): Sliced<Read[]> {
  const refusals = new Map<number, string>();
  const sent = text.length < largeChars ? parseSmall(text, namesMax) : yield* parseLarge(text, { namesMax, refusals });
  yield;
  const { updates } = parseBody(sent, routes.submitSpanUpdates.body);
  const done: Read[] = [];
  for (const [index, update] of updates.entries()) {
    yield;
    done.push(read({ update, refusal: refusals.get(index) ?? null }, index));
  }
  return done;
}

function parseSmall(text: string, namesMax: number | undefined): unknown {
  const sent = parseJsonText(text, namesMax);
  requireShallow(sent);
  return sent;
}

/** Parses a large body; `refusals` gets the reason for each update whose attributes are left out. */
function* parseLarge(
  text: string,
  { namesMax, refusals }: { namesMax: number | undefined; refusals: Map<number, string> },
): Sliced<unknown> {
  const { members } = yield* scanBody(text, namesMax);
  const sent = members?.get("updates");
  if (sent?.type !== "array") return {};
  const updates: unknown[] = [];
  for (const slice of walkElements(sent.text, { isStored: true })) {
    yield;
    if (slice === undefined) continue;
    const isMany =
      slice.type === "object" && slice.text.length >= largeChars && (yield* hasTooManyAttributes(slice.text));
    if (isMany) refusals.set(updates.length, tooManyAttributes);
    updates.push(isMany ? yield* parseWithoutAttributes(slice.text) : JSON.parse(slice.text));
  }
  return { updates };
}

/** Counts names as `JSON.parse` does: of those that are repeated, one. */
function* hasTooManyAttributes(updateText: string): Sliced<boolean> {
  const { members } = yield* scanMembersInSlices(updateText, { isStored: true, only: ["attributes"] });
  const text = members?.get("attributes")?.text ?? "null";
  const attributes = yield* scanMembersInSlices(text, { isStored: true });
  return (attributes.members?.size ?? 0) > limits.spanUpdateAttributesMax;
}

function* parseWithoutAttributes(updateText: string): Sliced<Record<string, unknown>> {
  const { members } = yield* scanMembersInSlices(updateText, { isStored: true });
  const others = [...(members ?? [])].filter(([name]) => name !== "attributes");
  return Object.fromEntries(others.map(([name, { text }]) => [name, JSON.parse(text)]));
}
