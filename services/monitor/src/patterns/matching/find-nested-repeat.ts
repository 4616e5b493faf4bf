/**
 * The first group of a regex that contains an unbounded repeat and is itself repeated without bound, such as `(a+)+`; null when
 * there is none. The regex must compile. Linear-time engines can run it, but it is usually a mistake, and a backtracking engine
 * would not finish.
 */
export function findNestedRepeat(pattern: string): string | null {
  const open: { start: number; hasRepeat: boolean }[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") {
      at = pattern.startsWith("\\Q", at) ? endOfQuote(pattern, at) : at + 1;
    } else if (character === "[") {
      at = endOfClass(pattern, at);
    } else if (character === "(") {
      open.push({ start: at, hasRepeat: false });
    } else if (character === ")") {
      const group = open.pop();
      if (group === undefined) continue;
      const isRepeated = isUnbounded(pattern, at + 1);
      if (group.hasRepeat && isRepeated) return pattern.slice(group.start, at + 2);
      const outer = open.at(-1);
      if (outer !== undefined && (group.hasRepeat || isRepeated)) outer.hasRepeat = true;
    } else if (isUnbounded(pattern, at)) {
      const group = open.at(-1);
      if (group !== undefined) group.hasRepeat = true;
    }
  }
  return null;
}

function isUnbounded(pattern: string, at: number): boolean {
  const character = pattern[at];
  if (character === "*" || character === "+") return true;
  return character === "{" && /^\{\d+,\}/.test(pattern.slice(at, at + 12));
}

/** The position of the `]` that ends a class. */
function endOfClass(pattern: string, start: number): number {
  // A `]` in the first position is a member.
  let at = pattern[start + 1] === "^" ? start + 2 : start + 1;
  if (pattern[at] === "]") at += 1;
  for (; at < pattern.length && pattern[at] !== "]"; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern.startsWith("[:", at)) at = Math.max(at, pattern.indexOf(":]", at) + 1);
  }
  return at;
}

function endOfQuote(pattern: string, start: number): number {
  const end = pattern.indexOf("\\E", start);
  return end < 0 ? pattern.length : end + 1;
}
