import { limits } from "@touchstone/contracts/limits";
import {
  AppError,
  compactText,
  isDeeperThan,
  type JsonMember,
  type JsonObject,
  membersOf,
  memberText,
  objectText,
} from "@touchstone/service-kit/thread";

/**
 * A case as other systems know it: an item with an id, whose input and expected output are any JSON. The case has these
 * members beside `main_question`, which has them as texts for judges.
 */
const itemMembers = ["input", "expectedOutput", "metadata", "status"] as const;

/** The item is nested in the document's list. */
const depthMax = limits.jsonDepthMax - 3;

/** The dataset of an item. */
export interface ItemPlace {
  datasetId: string;
  datasetName: string;
  /** Of the dataset: a case that was made without an id has no times. */
  createdAt: Date;
}

/** The id of a case: its own, or its place in the dataset. */
export function itemIdOf(caseText: string, datasetId: string, index: number): string {
  const own = memberText(caseText, "id");
  const id: unknown = own === undefined ? null : JSON.parse(own);
  return typeof id === "string" ? id : `${datasetId}:${index}`;
}

/** Whether a client took the case out of its experiments. */
export function isArchived(caseText: string): boolean {
  return JSON.parse(memberText(caseText, "status") ?? "null") === "ARCHIVED";
}

/** The dataset in an id that names a place; null: the id was given by a client. */
export function datasetIdIn(itemId: string): string | null {
  return /^([0-9a-f-]{36}):\d{1,9}$/.exec(itemId)?.[1] ?? null;
}

/**
 * The case of a sent item. Of an item that exists, what was not sent, or as null, stays as it is, and nothing changes if
 * nothing differs. Throws `bad_request` for the first rule that is broken.
 */
export function composeItem(before: string | null, sent: JsonObject, { id, at }: { id: string; at: Date }): string {
  refuseMistakes(sent.value);
  const members = new Map(membersOf(before ?? "{}").map(({ name, valueText }) => [name, valueText]));
  const changed = new Map<string, string>();
  for (const name of itemMembers) {
    const valueText = memberText(sent.text, name);
    if (valueText === undefined) continue;
    // Clients send null for what their caller did not name.
    if (valueText !== "null" || (before === null && name !== "status")) changed.set(name, valueText);
  }
  if (before === null && !changed.has("input")) changed.set("input", "null");
  for (const [name, valueText] of changed) members.set(name, valueText);
  members.set("id", JSON.stringify(id));
  members.set("main_question", questionOf(members.get("main_question"), changed));
  const source = sourceOf(members.get("source"), sent.value);
  if (source !== null) members.set("source", source);
  const composed = objectText(listMembers(members));
  if (before !== null && compactText(before) === compactText(composed)) return before;
  if (!members.has("createdAt")) members.set("createdAt", JSON.stringify(at));
  members.set("updatedAt", JSON.stringify(at));
  return objectText(listMembers(members));
}

/** An item as it is answered. What a person changed of the question is newer than the input and output that were sent. */
export function renderItem(caseText: string, index: number, { datasetId, datasetName, createdAt }: ItemPlace): string {
  const of = new Map(membersOf(caseText).map(({ name, valueText }) => [name, valueText]));
  const main = of.get("main_question") ?? "{}";
  const source = of.get("source") ?? "null";
  const made = JSON.stringify(createdAt);
  return objectText([
    { name: "id", valueText: JSON.stringify(itemIdOf(caseText, datasetId, index)) },
    { name: "status", valueText: of.get("status") ?? '"ACTIVE"' },
    { name: "input", valueText: newerOf(of.get("input"), memberText(main, "query")) },
    { name: "expectedOutput", valueText: newerOf(of.get("expectedOutput"), memberText(main, "expectedResults")) },
    { name: "metadata", valueText: of.get("metadata") ?? "null" },
    { name: "sourceTraceId", valueText: inSource(source, "traceId") },
    { name: "sourceObservationId", valueText: inSource(source, "spanId") },
    { name: "mediaReferences", valueText: "[]" },
    { name: "datasetId", valueText: JSON.stringify(datasetId) },
    { name: "datasetName", valueText: JSON.stringify(datasetName) },
    { name: "createdAt", valueText: of.get("createdAt") ?? made },
    { name: "updatedAt", valueText: of.get("updatedAt") ?? made },
  ]);
}

function refuseMistakes({
  status = null,
  sourceTraceId = null,
  sourceObservationId = null,
  ...sent
}: JsonObject["value"]) {
  if (![null, "ACTIVE", "ARCHIVED"].includes(status as string | null)) {
    throw new AppError("bad_request", "status must be ACTIVE or ARCHIVED");
  }
  for (const [name, value] of Object.entries({ sourceTraceId, sourceObservationId })) {
    if (value !== null && typeof value !== "string") throw new AppError("bad_request", `${name} must be a string`);
  }
  for (const name of itemMembers) {
    if (isDeeperThan(sent[name], depthMax)) {
      throw new AppError("bad_request", `${name} nests deeper than ${depthMax} levels`);
    }
  }
}

/** What judges read: a text as it is, anything else as JSON. What was not sent stays, as people may have changed it. */
function questionOf(before: string | undefined, sent: ReadonlyMap<string, string>): string {
  const question = new Map(membersOf(before ?? "{}").map(({ name, valueText }) => [name, valueText]));
  const input = sent.get("input") ?? (question.has("query") ? undefined : "null");
  if (input !== undefined) question.set("query", JSON.stringify(readableText(input)));
  const expected = sent.get("expectedOutput");
  if (expected === "null") question.delete("expectedResults");
  else if (expected !== undefined) question.set("expectedResults", JSON.stringify(readableText(expected)));
  return objectText(listMembers(question));
}

/** The JSON that was sent while the question's text is still made from it; otherwise the text. */
function newerOf(sent: string | undefined, text = "null"): string {
  return sent !== undefined && readableText(sent) === JSON.parse(text) ? sent : text;
}

function readableText(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value.trim() !== "" ? value : compactText(json);
}

function sourceOf(
  before: string | undefined,
  { sourceTraceId, sourceObservationId }: JsonObject["value"],
): string | null {
  const sent = { traceId: sourceTraceId, spanId: sourceObservationId };
  const named = Object.entries(sent).filter(([, id]) => typeof id === "string");
  if (named.length === 0) return before ?? null;
  const rest = membersOf(before ?? "{}").filter(({ name }) => !named.some(([own]) => own === name));
  return objectText([...rest, ...named.map(([name, id]) => ({ name, valueText: JSON.stringify(id) }))]);
}

const inSource = (source: string, name: string): string =>
  source === "null" ? "null" : (memberText(source, name) ?? "null");

const listMembers = (members: ReadonlyMap<string, string>): JsonMember[] =>
  [...members].map(([name, valueText]) => ({ name, valueText }));
