import { isOnlyText, lastText, type Message } from "./message.ts";

/** Input or output as the row stores it. */
export interface ShapedContent {
  /** JSON text; null when the span says nothing. */
  json: string | null;
  /** The conversation behind it, where the row shows only a text of it. */
  messages: Message[] | null;
}

/** What a row of a kind shows of the conversation that is its input. */
export function showInput(messages: Message[], kind: string): ShapedContent {
  if (!showsText(kind)) return { json: JSON.stringify(messages), messages: null };
  return { json: JSON.stringify(lastText(messages, "user") ?? messages), messages };
}

/** What a row of a kind shows of the conversation that is its output. */
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
