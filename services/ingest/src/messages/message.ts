import { isRecord } from "./json-text.ts";

/**
 * The stored form of all conversations (otlp 5.1). `content` is text if the message holds nothing else, and parts
 * otherwise: `{type:"text", text}`, `{type:"reasoning", text}`, or the producer's own part (an image, a file).
 */
export interface Message {
  role: string;
  content: string | unknown[];
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

export interface ToolCall {
  id: string | null;
  name: string;
  /** JSON text is parsed; text that is not JSON stays text. */
  arguments: unknown;
}

/** The text of a message: its text parts joined, without reasoning, tool calls and results (otlp 5.4). */
export function messageText(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => (isRecord(part) && part.type === "text" ? String(part.text) : "")).join("");
}

/** True if the message holds only text. */
export function isOnlyText(message: Message): boolean {
  return typeof message.content === "string" && message.tool_calls === undefined && message.tool_call_id === undefined;
}

/** The text of the newest message of a role; null if there is none or it is empty. */
export function lastText(messages: readonly Message[], role: string): string | null {
  const message = messages.findLast((candidate) => candidate.role === role);
  const text = message === undefined ? "" : messageText(message);
  return text === "" ? null : text;
}

/** Puts instructions first, unless a system message of the conversation repeats them. */
export function withInstructions(messages: Message[], instructions: Message[]): Message[] {
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const repeated = new Set(system.map(messageText));
  return [...instructions.filter((message) => !repeated.has(messageText(message))), ...messages];
}
