import { cutText, readStringStart } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";

/** Characters of a text in a list preview. */
const previewChars = 300;

/**
 * The beginning of a recorded value in readable form: a text itself, the text of the last message of a conversation, or
 * JSON text. `isWhole`: the JSON was not cut. Null if nothing was recorded.
 */
export function previewText(json: JsonText | null, isWhole: boolean): string | null {
  if (json === null || json === "null") return null;
  return cutText(readText(json, isWhole), previewChars);
}

function readText(json: JsonText, isWhole: boolean): string {
  if (isWhole) {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : (messageText(value) ?? json);
  }
  return json.startsWith('"') ? readStringStart(json) : json;
}

/** The text of the last message, as the SDKs write messages; null for other values. */
function messageText(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : messageText(value.at(-1));
  if (typeof value !== "object" || value === null) return null;
  const { content, text, messages } = value as { content?: unknown; text?: unknown; messages?: unknown };
  if (typeof content === "string") return content;
  if (typeof text === "string") return text;
  return messageText(content ?? messages ?? null);
}
