import type { BuiltinPattern } from "./builtin.ts";

/** Begins like an object with a member, or like an array of objects, texts or arrays of them, unlike prose. */
const beginsAsJson = /^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:\{\s*(?:"|\})|"[^"\n]*"\s*(?:,|\]|$)))/;
const fenced = /^[ \t]*```[ \t]*json[c5]?[ \t]*\r?\n([\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/gim;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One value, or one on each line. */
function isJson(text: string): boolean {
  if (parses(text)) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every(parses);
}

/** The response is meant to be JSON, or contains a block of it, and does not parse (completions 9.3). */
export const malformedJsonResponse: BuiltinPattern = {
  key: "malformed-json-response",
  name: "Malformed JSON",
  description: "The response is meant to be JSON and does not parse.",
  category: "quality",
  severity: "medium",
  find(response) {
    if (beginsAsJson.test(response)) return isJson(response) ? null : "The response is JSON that does not parse.";
    for (const [, block = ""] of response.matchAll(fenced)) {
      if (!isJson(block)) return "A block of JSON in the response does not parse.";
    }
    return null;
  },
};
