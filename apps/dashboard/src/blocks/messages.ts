import { type ChatMessage, isRecord, type Part, parsedText, type Speaker } from "./message.ts";
import { readPart } from "./message-parts.ts";

const speakers: Readonly<Record<string, Speaker>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  bot: "assistant",
  tool: "tool",
  function: "tool",
};

/**
 * The messages in a value of any of the usual shapes: a list of messages, one message, the request or the answer of OpenAI,
 * Anthropic or Gemini, or JSON text of one. Null if it is not a conversation.
 */
export function readMessages(value: unknown): ChatMessage[] | null {
  const parsed = parsedText(value);
  if (Array.isArray(parsed)) return readList(parsed);
  if (!isRecord(parsed)) return null;
  return readRequest(parsed) ?? readAnswer(parsed) ?? readMessage(parsed);
}

function readList(list: readonly unknown[]): ChatMessage[] | null {
  const messages: ChatMessage[] = [];
  for (const item of list) {
    const read = isRecord(item) ? readMessage(item) : null;
    if (read === null) return null;
    messages.push(...read);
  }
  return messages.length > 0 ? messages : null;
}

/** `{system, messages}`, `{systemInstruction, contents}`, `{instructions, input}`. */
function readRequest(value: Record<string, unknown>): ChatMessage[] | null {
  for (const name of ["messages", "contents", "input"]) {
    const list = value[name];
    const messages = Array.isArray(list) ? readList(list) : null;
    if (messages === null) continue;
    const stated = value.system ?? value.systemInstruction ?? value.system_instruction ?? value.instructions;
    const instructions = isRecord(stated) && Array.isArray(stated.parts) ? stated.parts : stated;
    return instructions === undefined || instructions === null
      ? messages
      : [{ speaker: "system", parts: readContent(instructions) }, ...messages];
  }
  return null;
}

/** `{choices: [{message}]}`, `{candidates: [{content}]}`, `{output: [...]}`. */
function readAnswer(value: Record<string, unknown>): ChatMessage[] | null {
  for (const [list, member] of [
    ["choices", "message"],
    ["candidates", "content"],
  ] as const) {
    const choices = value[list];
    if (Array.isArray(choices)) return readList(choices.map((choice) => (isRecord(choice) ? choice[member] : null)));
  }
  return Array.isArray(value.output) ? readList(value.output) : null;
}

/** One message, or several if its parts have several speakers. Null if the object is not a message. */
function readMessage(value: Record<string, unknown>): ChatMessage[] | null {
  const item = readItem(value);
  if (item !== null) return [item];
  const role = typeof value.role === "string" ? value.role : value.type;
  const speaker =
    typeof role === "string" && Object.hasOwn(speakers, role.toLowerCase()) ? speakers[role.toLowerCase()] : undefined;
  if (speaker === undefined) return null;
  const content = value.content ?? value.parts ?? value.text;
  const calls = [value.tool_calls, value.toolCalls].find(Array.isArray) ?? [];
  const legacyCall = isRecord(value.function_call) ? [{ type: "function_call", ...value.function_call }] : [];
  const parts = [...readContent(content), ...[...calls, ...legacyCall].map(readCall)];
  if (parts.length === 0 && content === undefined && speaker !== "assistant") return null;
  if (speaker !== "tool") return splitResults(speaker, parts);
  if (parts.some(({ kind }) => kind === "result")) return [{ speaker, parts }];
  const id = textOf(value.tool_call_id) ?? textOf(value.toolCallId) ?? textOf(value.id);
  const output = parsedText(content);
  return [{ speaker, parts: [{ ...blankResult, id, name: textOf(value.name), output }] }];
}

/** Items of OpenAI's Responses API, which have a type and no role. */
function readItem(value: Record<string, unknown>): ChatMessage | null {
  if (value.role !== undefined) return null;
  if (value.type === "function_call") return { speaker: "assistant", parts: [readPart(value)] };
  if (value.type === "function_call_output") return { speaker: "tool", parts: [readPart(value)] };
  return value.type === "reasoning" ? { speaker: "assistant", parts: [readPart(value)] } : null;
}

/** Anthropic and Gemini write a tool's result into a user message. */
function splitResults(speaker: Speaker, parts: readonly Part[]): ChatMessage[] {
  const results = parts.filter(({ kind }) => kind === "result");
  if (results.length === 0) return [{ speaker, parts }];
  const others = parts.filter(({ kind }) => kind !== "result");
  const tool: ChatMessage = { speaker: "tool", parts: results };
  if (others.length === 0) return [tool];
  return speaker === "assistant" ? [{ speaker, parts: others }, tool] : [tool, { speaker, parts: others }];
}

const blankResult = { kind: "result", id: null, name: null, output: null, error: null, latencyMs: null } as const;

/** The parts of a message's content: text, a part, or a list of both. */
export function readContent(content: unknown): Part[] {
  if (content === undefined || content === null || content === "") return [];
  const parsed = typeof content === "string" ? listOfParts(content) : content;
  const parts = (Array.isArray(parsed) ? parsed : [parsed]).map(readPart);
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}

/** Some producers write a list of parts into the content as JSON text. */
function listOfParts(text: string): unknown {
  const parsed = /^\s*\[\s*\{\s*"/.test(text) ? parsedText(text) : text;
  const isList = Array.isArray(parsed) && parsed.every((part) => isRecord(part) && readPart(part).kind !== "json");
  return isList ? parsed : text;
}

function readCall(call: unknown): Part {
  return readPart(isRecord(call) && call.type === undefined ? { type: "function_call", ...call } : call);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Joins consecutive messages of one speaker; messages of tools and people are unchanged. */
export function joinSpeakers(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.speaker === "assistant" && message.speaker === "assistant") {
      joined[joined.length - 1] = { speaker: "assistant", parts: [...last.parts, ...message.parts] };
    } else joined.push(message);
  }
  return joined;
}
