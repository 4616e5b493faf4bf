/** Characters for texts of one repeated item: each has made some regex or parser slow. */
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

/** This many characters of one class, as JavaScript counts them. */
export function fill(unit: string, length: number): string {
  return unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed();
}
