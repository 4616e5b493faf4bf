import { endOfJsonString } from "./json.ts";

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
  return elementsOf(objectText).map((item) => {
    const nameEnd = endOfJsonString(item, 0);
    const colon = item.indexOf(":", nameEnd);
    return { name: JSON.parse(item.slice(0, nameEnd)), valueText: item.slice(colon + 1).trim() };
  });
}

/**
 * The value of a member as text, or undefined. The last of several members with one name counts, as in `JSON.parse`.
 */
export function memberText(objectText: string, name: string): string | undefined {
  return lastText(membersOf(objectText), name);
}

/** The value of a member, or undefined. Of a long object, reading one member costs far less than parsing all. */
export function memberValue(objectText: string, name: string): unknown {
  const text = memberText(objectText, name);
  return text === undefined ? undefined : JSON.parse(text);
}

/** As {@link memberText}, for an object whose members are known. */
export function lastText(members: readonly JsonMember[], name: string): string | undefined {
  return members.findLast((member) => member.name === name)?.valueText;
}

/** The elements of an array, or the members of an object, as texts: split at commas outside strings and nested brackets. */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfJsonString(text, at) - 1;
    else if (code === comma) {
      if (depth !== 1) continue;
      elements.push(text.slice(start, at).trim());
      start = at + 1;
    } else if ((code | isObjectBit) === opening) {
      if (depth === 0) start = at + 1;
      depth += 1;
    } else if ((code | isObjectBit) === closing) {
      depth -= 1;
      if (depth > 0) continue;
      const last = text.slice(start, at).trim();
      if (last !== "") elements.push(last);
    }
  }
  return elements;
}

/** An object's text from its members' texts. */
export function objectText(members: readonly JsonMember[]): string {
  return objectTexts(members).join("");
}

/** The same in texts that follow one another: to join long ones copies them. A value may come in several texts, too. */
export function objectTexts(members: readonly { name: string; valueText: string | readonly string[] }[]): string[] {
  const texts = members.flatMap(({ name, valueText }, index) => [
    `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`,
    ...(typeof valueText === "string" ? [valueText] : valueText),
  ]);
  return [...(texts.length === 0 ? ["{"] : texts), "}"];
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
/** Brackets of lists and objects, with the bit set that distinguishes them. */
const opening = 0x7b;
const closing = 0x7d;
const isObjectBit = 0x20;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
