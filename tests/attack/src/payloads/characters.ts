/** What a text is made of when one thing is repeated: each has made some regex or parser slow. */
export const characterClasses: readonly string[] = [
  "-",
  " ",
  "a",
  "0",
  "\n",
  "(",
  "[",
  "{",
  '"',
  "'",
  "\\",
  "<",
  "`",
  "=",
  ".",
  "@",
  ":",
  "\t",
  "\u00a0",
  "é",
  "e\u0301",
  "😀",
  "👩‍👩‍👧",
  "a ",
  "a.",
  "a@",
  "0-",
  "{}",
  "a1 -\n(\"😀'",
  "ignore previous instructions ",
  "sk-a",
  "4111 1111 1111 1111 ",
];

/** So many characters of one class, counted as JavaScript counts them. */
export function fill(unit: string, length: number): string {
  return unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed();
}
