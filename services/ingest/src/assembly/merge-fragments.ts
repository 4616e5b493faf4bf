import { looselyParsed } from "../messages/json-text.ts";
import type { Message } from "../messages/message.ts";
import { readConversation } from "../messages/read-conversation.ts";
import { type ShapedContent, showInput, showOutput } from "../messages/show-content.ts";
import type { FragmentBody } from "../model/fragment-body.ts";
import type { JsonText } from "../model/span.ts";
import type { SpanBody } from "../model/span-body.ts";
import { mergeOwnCall } from "./compose-calls.ts";

/** A body merged with its log records. */
export interface MergedBody {
  body: SpanBody;
  /** The conversations whose text alone is in the body. */
  messages: { input?: Message[]; output?: Message[] } | null;
}

/** The span's own values win; a failure that only a record reports becomes its error (otlp 7). */
export function mergeFragments(own: SpanBody, fragments: readonly FragmentBody[], kind: string): MergedBody {
  if (fragments.length === 0) return { body: own, messages: null };
  const input = own.input === null ? sideOf(fragments, "input", kind) : null;
  const output = own.output === null ? sideOf(fragments, "output", kind) : null;
  const error = own.error ?? errorOf(fragments);
  const body = {
    ...own,
    input: own.input ?? input?.json ?? null,
    output: own.output ?? output?.json ?? null,
    error,
  };
  const messages = {
    ...(input === null || input.messages === null ? {} : { input: input.messages }),
    ...(output === null || output.messages === null ? {} : { output: output.messages }),
  };
  return {
    body: { ...body, toolCalls: mergeOwnCall(body, fragments, kind) },
    messages: Object.keys(messages).length === 0 ? null : messages,
  };
}

function errorOf(fragments: readonly FragmentBody[]): JsonText | null {
  const error = fragments.find((fragment) => fragment.error !== undefined)?.error;
  return error === undefined ? null : JSON.stringify(error);
}

function sideOf(fragments: readonly FragmentBody[], side: "input" | "output", kind: string): ShapedContent | null {
  const show = side === "input" ? showInput : showOutput;
  const whole = fragments.find((fragment) => fragment[side] !== undefined)?.[side];
  if (whole !== undefined) {
    const conversation = kind === "tool" ? null : readConversation(whole);
    return conversation === null ? { json: JSON.stringify(whole), messages: null } : show(conversation.messages, kind);
  }
  const spoken = fragments.flatMap((fragment) => fragment[`${side}Messages`] ?? []);
  if (spoken.length === 0) return side === "output" ? outputOfTool(fragments, kind) : null;
  const messages = side === "input" ? placeToolResults(spoken) : spoken;
  return kind === "tool" ? contentOfLast(messages) : show(messages, kind);
}

/** Tool events carry bare arguments and results in the content of a message. */
function contentOfLast(messages: readonly Message[]): ShapedContent {
  return { json: JSON.stringify(looselyParsed(messages.at(-1)?.content)), messages: null };
}

function outputOfTool(fragments: readonly FragmentBody[], kind: string): ShapedContent | null {
  if (kind !== "tool") return null;
  const output = fragments.find(({ toolCall }) => toolCall?.output !== undefined)?.toolCall?.output;
  return output === undefined ? null : { json: JSON.stringify(output), messages: null };
}

/** A result is placed after the call it answers, even if coarse clocks gave both the same time. */
function placeToolResults(messages: readonly Message[]): Message[] {
  const calledBy = new Map<string, Message>();
  for (const message of messages) {
    for (const { id } of message.tool_calls ?? []) if (id !== null) calledBy.set(id, message);
  }
  const placed = new Map<Message, Message[]>();
  const rest: Message[] = [];
  for (const message of messages) {
    const caller = message.tool_call_id === undefined ? undefined : calledBy.get(message.tool_call_id);
    if (caller === undefined || caller === message) rest.push(message);
    else placed.set(caller, [...(placed.get(caller) ?? []), message]);
  }
  return rest.flatMap((message) => [message, ...(placed.get(message) ?? [])]);
}
