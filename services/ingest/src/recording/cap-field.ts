import { scanElements, scanMembers } from "@touchstone/service-kit";
import type { JsonText } from "../model/span.ts";
import { truncationMarker } from "../model/span-body.ts";

/**
 * Truncates a stored value whose JSON text is longer than the operator allows, and marks the cut (completions 1.2): a
 * string keeps its beginning and ends in a note, an array keeps its head and gets one marker element, any other value
 * becomes a marker with a preview; an object keeps its `kind`. The result is never longer than `charsMax`, which is at
 * least 1000.
 */
export function capField(text: JsonText, charsMax: number | null): JsonText {
  if (charsMax === null || text.length <= charsMax) return text;
  switch (text.charCodeAt(0)) {
    case 0x22:
      return capString(text, charsMax);
    case 0x5b:
      return capArray(text, charsMax);
    default:
      return capOther(text, charsMax);
  }
}

function capString(text: JsonText, charsMax: number): JsonText {
  const whole = JSON.parse(text) as string;
  const note = (kept: number): string => `… [truncated, ${whole.length - kept} characters dropped]`;
  const kept = longestPrefix(whole, charsMax - 2 - note(0).length);
  return `${JSON.stringify(kept).slice(0, -1)}${note(kept.length)}"`;
}

function capArray(text: JsonText, charsMax: number): JsonText {
  const elements = scanElements(text) ?? [];
  const marker = (dropped: number): string => `{"${truncationMarker}":true,"dropped":${dropped}}`;
  let room = charsMax - 2 - marker(elements.length).length;
  const kept: string[] = [];
  for (const element of elements) {
    room -= element.text.length + 1;
    if (room < 0) break;
    kept.push(element.text);
  }
  return `[${[...kept, marker(elements.length - kept.length)].join(",")}]`;
}

function capOther(text: JsonText, charsMax: number): JsonText {
  const kind = scanMembers(text).members?.get("kind")?.text;
  const stated = kind !== undefined && kind.length <= 100 ? `,"kind":${kind}` : "";
  const head = `{"${truncationMarker}":true${stated},"preview":`;
  return `${head}${JSON.stringify(longestPrefix(text, charsMax - head.length - 3))}}`;
}

/** The longest beginning of a text whose JSON form, without quotes, has at most `charsMax` characters. */
function longestPrefix(text: string, charsMax: number): string {
  let kept = 0;
  let room = charsMax;
  for (const character of text) {
    room -= JSON.stringify(character).length - 2;
    if (room < 0) break;
    kept += character.length;
  }
  return text.slice(0, kept);
}
