import { limits } from "@touchstone/contracts";
import { scanElements, scanMembers } from "@touchstone/service-kit";
import { looselyParsed } from "../messages/json-text.ts";
import { readConversation } from "../messages/read-conversation.ts";
import type { FragmentBody, FragmentToolCall } from "../model/fragment-body.ts";
import type { JsonText } from "../model/span.ts";
import { type SpanBody, truncationMarker } from "../model/span-body.ts";

/** A tool call as another row shows it: members by name, each JSON text. */
export interface LentCall {
  /** The model's id of the call; null if unknown. */
  id: string | null;
  members: ReadonlyMap<string, JsonText>;
}

/** The tool calls and results in the messages of one model call. */
export interface MessageCalls {
  asked: LentCall[];
  /** Results by call id. */
  answered: ReadonlyMap<string, JsonText>;
}

/**
 * Maximum text of all calls that one row shows, and of the results in one model call. Calls beyond it lose their
 * values.
 */
export const callsCharsMax = 1024 * 1024;

export const absent: JsonText = JSON.stringify(truncationMarker);

/** Stored rows were validated as JSON on arrival. */
const stored = { isStored: true };

/** The one call of a tool's row, with the id that the trace uses for it. */
export function callsOfTools(body: Pick<SpanBody, "toolCalls" | "metadata">): LentCall[] {
  const elements = body.toolCalls === null ? [] : (scanElements(body.toolCalls, stored) ?? []);
  const id = elements.length === 0 ? null : toolCallId(body.metadata);
  return elements.flatMap(({ text }) => {
    const { members } = scanMembers(text, stored);
    return members === null ? [] : [{ id, members: bounded(members) }];
  });
}

function bounded(members: NonNullable<ReturnType<typeof scanMembers>["members"]>): Map<string, JsonText> {
  return new Map([...members].map(([name, { text }]) => [name, text.length > callsCharsMax ? absent : text]));
}

function toolCallId(metadata: JsonText | null): string | null {
  // A substring search is far cheaper than parsing a long text.
  if (metadata === null || !metadata.includes('"toolCallId"')) return null;
  const otel = scanMembers(metadata, stored).members?.get("otel");
  const id = otel === undefined ? undefined : scanMembers(otel.text, stored).members?.get("toolCallId");
  return id?.type === "string" ? (JSON.parse(id.text) as string) : null;
}

/** The calls that a model asked for in its output, and the results in its input. */
export function readMessageCalls({ input, output }: Pick<SpanBody, "input" | "output">): MessageCalls {
  const asked = messagesOf(output).flatMap(({ tool_calls }) =>
    (tool_calls ?? []).map((call) => ({
      id: call.id,
      members: new Map([
        ["name", JSON.stringify(call.name)],
        ["input", JSON.stringify(call.arguments)],
      ]),
    })),
  );
  const answered = new Map<string, JsonText>();
  let chars = 0;
  for (const { role, tool_call_id, content } of messagesOf(input)) {
    if (role !== "tool" || tool_call_id === undefined) continue;
    const text = JSON.stringify(typeof content === "string" ? looselyParsed(content) : content);
    chars += text.length;
    answered.set(tool_call_id, chars > callsCharsMax ? absent : text);
  }
  return { asked, answered };
}

function messagesOf(text: JsonText | null) {
  return text === null ? [] : (readConversation(looselyParsed(text))?.messages ?? []);
}

/**
 * The calls with the results from the inputs of later calls and from log records, matched by id; each id once. Without
 * calls, those that only log records report.
 */
export function matchCalls(
  calls: readonly LentCall[],
  results: readonly FragmentToolCall[],
  messageCalls: readonly MessageCalls[] = [],
): LentCall[] {
  const matched = new Map<string, LentCall>();
  for (const [index, call] of calls.entries()) {
    const key = call.id ?? `without id ${index}`;
    if (!matched.has(key)) matched.set(key, call);
  }
  for (const [key, call] of matched) {
    const members = new Map(call.members);
    const answer = call.id === null ? undefined : messageCalls.find(({ answered }) => answered.has(call.id as string));
    if (!members.has("output") && answer !== undefined) {
      members.set("output", answer.answered.get(call.id as string) as JsonText);
    }
    const result = results.find(({ id }) => id !== undefined && id === call.id);
    for (const [name, text] of result === undefined ? [] : toMembers(result)) {
      if (!members.has(name)) members.set(name, text);
    }
    matched.set(key, { id: call.id, members });
  }
  if (matched.size > 0) return [...matched.values()];
  return results.map((result) => ({ id: result.id ?? null, members: toMembers(result) }));
}

function toMembers(call: FragmentToolCall): Map<string, JsonText> {
  const { id: _, ...rest } = call;
  return new Map(Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)]));
}

const memberOrder = ["name", "input", "output", "success", "latencyMs", "error"];

/** The calls as a row stores them, the first 50 (interface: Limits); null if there is none. */
export function writeCalls(calls: readonly LentCall[]): JsonText | null {
  if (calls.length === 0) return null;
  let left = callsCharsMax;
  const written = calls.slice(0, limits.toolCallsMax).map(({ members }) => {
    const shown = new Map(members);
    if (!shown.has("success")) shown.set("success", String(!shown.has("error")));
    for (const name of ["input", "output"]) {
      const text = shown.get(name);
      if (text !== undefined && text.length > left) shown.set(name, absent);
    }
    const text = writeMembers(shown);
    left -= text.length;
    return text;
  });
  return `[${written.join(",")}]`;
}

function writeMembers(members: ReadonlyMap<string, JsonText>): JsonText {
  const names = [...memberOrder.filter((name) => members.has(name)), ...extraNames(members)];
  return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name)}`).join(",")}}`;
}

function extraNames(members: ReadonlyMap<string, JsonText>): string[] {
  return [...members.keys()].filter((name) => !memberOrder.includes(name));
}

/** A tool's own call repeats its input and output, even if only log records reported them. */
export function mergeOwnCall(body: SpanBody, fragments: readonly FragmentBody[], kind: string): JsonText | null {
  if (kind !== "tool" || body.toolCalls === null) return body.toolCalls;
  const [call] = callsOfTools(body);
  if (call === undefined) return body.toolCalls;
  const members = new Map(call.members);
  if (!members.has("input") && body.input !== null) members.set("input", body.input);
  if (!members.has("output") && body.output !== null) members.set("output", body.output);
  const result = fragments.find(({ toolCall }) => toolCall !== undefined)?.toolCall;
  if (result?.error !== undefined && !members.has("error")) members.set("error", JSON.stringify(result.error));
  if (body.error !== null && !members.has("error")) members.set("error", body.error);
  if (members.has("error")) members.set("success", "false");
  return `[${writeMembers(members)}]`;
}
