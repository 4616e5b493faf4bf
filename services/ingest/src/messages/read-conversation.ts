import { isRecord } from "./json-text.ts";
import type { Message } from "./message.ts";
import { composeMessages, readItemBesideMessages, readMessage } from "./read-message.ts";

/** A conversation found in a producer's value. */
export interface Conversation {
  messages: Message[];
  /** False if the value had members besides the messages. */
  complete: boolean;
}

/** Members of a request that other fields of the row cover. */
const covered = new Set(["messages", "contents", "system", "instructions", "prompt", "input", "tools", "model"]);

/**
 * Finds the conversation in a value: a list of messages, a single one, a request or a response of a known API (otlp
 * 5.1). Null for any other value, which is stored as it is.
 */
export function readConversation(value: unknown): Conversation | null {
  if (Array.isArray(value)) return whole(readMessages(value));
  if (!isRecord(value)) return null;
  return readRequest(value) ?? readResponse(value) ?? whole(someOf(readMessage(value)));
}

/**
 * Every element must be a message, or an item beside one. LangChain batches conversations; only a batch of one is
 * expected.
 */
function readMessages(value: readonly unknown[]): Message[] | null {
  const list = value.length === 1 && Array.isArray(value[0]) ? value[0] : value;
  if (list.length === 0) return null;
  const read: Message[][] = [];
  let hasMessage = false;
  for (const item of list) {
    const message = readMessage(item);
    const messages = message ?? readItemBesideMessages(item);
    if (messages === null) return null;
    hasMessage ||= message !== null;
    read.push(messages);
  }
  return hasMessage ? someOf(read.flat()) : null;
}

/** Instructions beside a conversation: text, one part, a list of parts, or system messages of the AI SDK. */
export function readInstructions(value: unknown): Message[] {
  if (value === undefined || value === null || value === "") return [];
  const messages = readConversation(value)?.messages;
  if (messages?.every(({ role }) => role === "system")) return messages;
  const content = isRecord(value) && Array.isArray(value.parts) ? value.parts : value;
  return composeMessages("system", content);
}

function readRequest(value: Record<string, unknown>): Conversation | null {
  const messages = requestMessages(value);
  if (messages === null) return null;
  const config = isRecord(value.config) ? value.config : {};
  const system =
    value.system ??
    value.instructions ??
    value.systemInstruction ??
    value.system_instruction ??
    config.systemInstruction ??
    config.system_instruction;
  return {
    messages: [...readInstructions(system), ...messages],
    complete: Object.keys(value).every((key) => covered.has(key)),
  };
}

function requestMessages(value: Record<string, unknown>): Message[] | null {
  if (Array.isArray(value.messages)) return readMessages(value.messages);
  if (Array.isArray(value.contents)) return readMessages(value.contents);
  if (value.type === "constructor" && isRecord(value.kwargs) && Array.isArray(value.kwargs.messages)) {
    return readMessages(value.kwargs.messages);
  }
  // The Responses API and the AI SDK; `input` and `prompt` alone are too common to mean a request.
  const input = "model" in value || "instructions" in value ? value.input : undefined;
  if (typeof input === "string") return composeMessages("user", input);
  if (Array.isArray(input)) return readMessages(input);
  if (!Object.keys(value).every((key) => key === "prompt" || key === "system")) return null;
  if (typeof value.prompt === "string") return composeMessages("user", value.prompt);
  return Array.isArray(value.prompt) ? readMessages(value.prompt) : null;
}

function readResponse(value: Record<string, unknown>): Conversation | null {
  const messages = someOf(responseMessages(value));
  return messages === null ? null : { messages, complete: Object.keys(value).length === 1 };
}

function responseMessages(value: Record<string, unknown>): Message[] | null {
  if (Array.isArray(value.choices)) return readMessages(value.choices.map(completionChoice));
  if (Array.isArray(value.generations)) {
    return readMessages(value.generations.flat().map(completionChoice));
  }
  if (Array.isArray(value.candidates)) {
    return readMessages(value.candidates.map((candidate) => asModel(isRecord(candidate) ? candidate.content : null)));
  }
  if (value.role === undefined && isRecord(value.content) && Array.isArray(value.content.parts)) {
    return readMessage(asModel(value.content));
  }
  if (isRecord(value.output) && isRecord(value.output.message)) return readMessage(value.output.message);
  if (isRecord(value.output)) return readLangChainOutput(value.output);
  if (Array.isArray(value.output) && value.object === "response") return readMessages(value.output);
  if (value.role === undefined && isRecord(value.message)) return readMessage(value.message);
  return null;
}

/** A tool or chain of LangChain wraps its result: `{output: <message>}`. */
function readLangChainOutput(output: Record<string, unknown>): Message[] | null {
  return output.type === "constructor" ? readMessage(output) : null;
}

/** Chat choices and generations carry a message, older completions only text. */
function completionChoice(choice: unknown): unknown {
  if (!isRecord(choice) || isRecord(choice.message) || typeof choice.text !== "string") return choice;
  return { role: "assistant", content: choice.text };
}

/** Gemini omits the role of some candidates. */
function asModel(content: unknown): unknown {
  return isRecord(content) && content.role === undefined ? { ...content, role: "model" } : content;
}

function whole(messages: Message[] | null): Conversation | null {
  return messages === null ? null : { messages, complete: true };
}

/** A value in which nothing can be read is none: it is shown as it was sent. */
function someOf(messages: Message[] | null): Message[] | null {
  return messages?.length === 0 ? null : messages;
}
