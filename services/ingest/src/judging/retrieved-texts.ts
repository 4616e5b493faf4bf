import { readRecordedText } from "../model/recorded-text.ts";
import type { JsonText } from "../model/span.ts";

/** Members that hold the text of a document; first the one of mapped OTLP documents. */
const contentNames = ["content", "text", "page_content", "pageContent", "document"];
/** Members that hold the list inside an object. */
const listNames = ["documents", "results", "outputs"];

/**
 * The texts of retrieved documents, without blank ones: the elements of a list, or of the one list inside an object;
 * else the value itself. A document is its text, else its JSON text.
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

/** `otherwise` is the result if it is not a document. */
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
