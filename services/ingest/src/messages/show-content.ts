import { isRecord } from "./json-text.ts";
import { isOnlyText, lastText, type Message } from "./message.ts";

/** Input or output in stored form. */
export interface ShapedContent {
  /** JSON text; null if the span has none. */
  json: string | null;
  /** The conversation, if the row shows only a text of it. */
  messages: Message[] | null;
}

/** The input that a row of a kind shows of a conversation. */
export function showInput(messages: Message[], kind: string): ShapedContent {
  if (!showsText(kind)) return { json: JSON.stringify(messages), messages: null };
  return { json: JSON.stringify(lastText(messages, "user") ?? messages), messages };
}

/** The output that a row of a kind shows of a conversation. */
export function showOutput(messages: Message[], kind: string): ShapedContent {
  const [answer, ...others] = messages;
  const whole = answer !== undefined && others.length === 0 ? answer : messages;
  if (showsText(kind)) return { json: JSON.stringify(lastText(messages, "assistant") ?? whole), messages };
  const last = messages.at(-1);
  const isText = last !== undefined && isOnlyText(last) && messages.slice(0, -1).every(isThought);
  if (!isText) return { json: JSON.stringify(whole), messages: null };
  return { json: JSON.stringify(last.content), messages: others.length === 0 ? null : messages };
}

/** What came before the answer and is none: reasoning, what built-in tools of the Responses API did, and silence. */
function isThought({ role, content, tool_calls }: Message): boolean {
  if (role !== "assistant" || tool_calls !== undefined) return false;
  if (typeof content === "string") return content === "";
  return content.length > 0 && content.every((part) => isRecord(part) && part.type !== "text");
}

export function showsText(kind: string): boolean {
  return kind === "agent" || kind === "chain";
}
