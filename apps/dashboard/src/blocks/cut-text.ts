/** A cut that would hide less than this is not worth a button. */
const slack = 200;
const lineLength = 80;

/**
 * The beginning of a text that takes about as much space as `most` characters; a line break counts as a full line. It ends at a
 * line or word boundary if one is near, and never within a character.
 */
export function cutText(text: string, most: number): string {
  let room = most;
  let at = 0;
  while (at < text.length && room > 0) {
    const end = text.indexOf("\n", at);
    const next = end === -1 || end - at > room ? Math.min(text.length, at + room) : end + 1;
    room -= Math.max(next - at, end === next - 1 ? lineLength : 0);
    at = next;
  }
  if (text.length - at <= slack && !text.slice(at).includes("\n")) return text;
  return text.slice(0, softEnd(text, at));
}

/** The best place to cut: after the last line or word before this position, if one is near. */
function softEnd(text: string, at: number): number {
  const near = text.slice(Math.max(0, at - 60), at);
  const space = near.search(/\s\S*$/);
  const end = space === -1 ? at : at - near.length + space;
  const isWithinPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isWithinPair ? end - 1 : end;
}
