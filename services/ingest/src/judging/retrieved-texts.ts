import { readRecordedText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";

/** Members that hold the text of a document, first the one that mapped OTLP documents have. */
const contentNames = ["content", "text", "page_content", "pageContent", "document"];
/** Members that hold the list, where it is inside an object. */
const listNames = ["documents", "results", "outputs"];

/**
 * The texts of what was retrieved, one for each document, blank ones left out: of a list its elements, or the one list
 * inside an object; else the value itself. A document is its text, or else its JSON text.
 */
export function readRetrievedTexts(json: JsonText | null): string[] {
  const whole = readRecordedText(json);
  if (json === null || whole === null) return [];
  const value: unknown = JSON.parse(json);
  const list = findList(value);
  const texts = list === null ? [textOf(value, whole)] : list.map((item) => textOf(item, JSON.stringify(item)));
  return texts.filter((text) => text.trim() !== "");
}

function findList(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return null;
  return listNames.map((name) => value[name]).find((member) => Array.isArray(member)) ?? null;
}

/** `otherwise` is what it reads as when it is no document. */
function textOf(item: unknown, otherwise: string): string {
  if (typeof item === "string") return item;
  if (item === null || !isObject(item)) return item === null ? "" : otherwise;
  for (const name of contentNames) {
    const content = item[name];
    if (typeof content === "string") return content;
    if (isObject(content)) return textOf(content, otherwise);
  }
  return otherwise;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
