import { endOfJsonString } from "@touchstone/service-kit";

/**
 * Cuts JSON text into pieces without parsing the pieces. Free JSON from users is stored and returned as the original text, so
 * key order, `\u0000`, lone surrogates, big numbers and a key called `__proto__` survive; a round trip through objects would
 * lose some of each. Every function here accepts text that `JSON.parse` has accepted.
 */

/** One member of an object: its name, and its value as text. */
export interface JsonMember {
  name: string;
  valueText: string;
}

/** The members of an object in their original order, including repeated names. */
export function membersOf(objectText: string): JsonMember[] {
  const members: JsonMember[] = [];
  for (const [start, end] of itemsOf(objectText)) {
    const nameEnd = endOfJsonString(objectText, start);
    const colon = objectText.indexOf(":", nameEnd);
    members.push({
      name: JSON.parse(objectText.slice(start, nameEnd)),
      valueText: objectText.slice(colon + 1, end).trim(),
    });
  }
  return members;
}

/**
 * The value of a member as text, or undefined. The last of several members with one name counts, as in `JSON.parse`.
 */
export function memberText(objectText: string, name: string): string | undefined {
  return membersOf(objectText).findLast((member) => member.name === name)?.valueText;
}

/** The elements of an array as texts. */
export function elementsOf(arrayText: string): string[] {
  return itemsOf(arrayText).map(([start, end]) => arrayText.slice(start, end));
}

/** An object's text from its members' texts. */
export function objectText(members: readonly JsonMember[]): string {
  return `{${members.map(({ name, valueText }) => `${JSON.stringify(name)}:${valueText}`).join(",")}}`;
}

/** The same JSON without insignificant white space. */
export function compactText(json: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfJsonString(json, at) - 1;
    } else if (isSpace(code)) {
      parts.push(json.slice(from, at));
      from = at + 1;
    }
  }
  return parts.length === 0 ? json : `${parts.join("")}${json.slice(from)}`;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The start and end of each item of an array or object: split at commas outside strings and nested brackets. */
function itemsOf(text: string): [start: number, end: number][] {
  const items: [number, number][] = [];
  let depth = 0;
  let itemStart = -1;
  let itemEnd = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    const isClose = code === closeBracket || code === closeBrace;
    if (isClose) depth -= 1;
    if ((depth === 1 && code === comma) || (depth === 0 && isClose)) {
      if (itemStart >= 0) items.push([itemStart, itemEnd]);
      itemStart = -1;
      continue;
    }
    if (depth >= 1 && itemStart < 0) itemStart = at;
    if (code === openBracket || code === openBrace) depth += 1;
    if (code === quote) at = endOfJsonString(text, at) - 1;
    itemEnd = at + 1;
  }
  return items;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
