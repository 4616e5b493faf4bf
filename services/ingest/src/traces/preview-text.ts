import { cutText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";

/** Characters of a text in the preview of a list. */
const previewChars = 300;

/**
 * The beginning of a recorded value as a reader looks for it: of a text its own, of messages what the last one says, of
 * other JSON its JSON. `isWhole` says that the JSON was not cut off itself. Null where nothing was recorded.
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
  return json.startsWith('"') ? readCutString(json) : json;
}

/** Of messages what the last one says, as the SDKs write them; null of what is none. */
function messageText(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : messageText(value.at(-1));
  if (typeof value !== "object" || value === null) return null;
  const { content, text, messages } = value as { content?: unknown; text?: unknown; messages?: unknown };
  if (typeof content === "string") return content;
  if (typeof text === "string") return text;
  return messageText(content ?? messages ?? null);
}

/** The longest escape is cut off after at most eleven characters: two of six are one character. */
const escapeCharsMax = 12;

function readCutString(json: string): string {
  for (let cut = 0; cut < escapeCharsMax; cut += 1) {
    try {
      return JSON.parse(`${json.slice(0, json.length - cut)}"`) as string;
    } catch {
      // It ends within an escape: without its last character it may not.
    }
  }
  return "";
}
