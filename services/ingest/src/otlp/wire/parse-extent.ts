/** Builds the JSON value `[start, end)` of a body; throws a SyntaxError when it is none. */
export function parseExtent(body: Buffer, start: number, end: number): unknown {
  return JSON.parse(body.toString("utf8", start, end));
}
