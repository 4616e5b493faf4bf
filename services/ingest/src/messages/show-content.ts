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
  const isText = answer !== undefined && others.length === 0 && isOnlyText(answer);
  return { json: JSON.stringify(isText ? answer.content : whole), messages: null };
}

export function showsText(kind: string): boolean {
  return kind === "agent" || kind === "chain";
}
