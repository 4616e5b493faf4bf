/** Longer than any cell can show. */
const longest = 400;

/**
 * Any recorded value as one line: a text unchanged, the last message of a conversation, else its JSON. Null if nothing was
 * recorded.
 */
export function textLine(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === "string" ? value : (messageText(value) ?? JSON.stringify(value));
  const line = text.slice(0, longest).replace(/\s+/g, " ").trim();
  return line === "" ? null : line;
}

function messageText(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : messageText(value.at(-1));
  if (typeof value !== "object" || value === null) return null;
  const { content, text, messages } = value as { content?: unknown; text?: unknown; messages?: unknown };
  if (typeof content === "string") return content;
  if (typeof text === "string") return text;
  return messageText(content ?? messages ?? null);
}
