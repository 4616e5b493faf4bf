/** The longest line for an object or a list on one line. */
const lineMaxChars = 120;

/**
 * JSON for people and for diffs: short values are on one line, the rest is broken up. Keys keep their order, so the
 * text is as deterministic as the value.
 */
export function readableJson(value: unknown): string {
  return `${render(value, 0)}\n`;
}

function render(value: unknown, depth: number): string {
  const inline = onOneLine(value);
  if (depth * 2 + inline.length <= lineMaxChars || typeof value !== "object" || value === null) return inline;
  const indent = "  ".repeat(depth + 1);
  const end = `\n${"  ".repeat(depth)}`;
  if (Array.isArray(value)) return `[\n${value.map((item) => indent + render(item, depth + 1)).join(",\n")}${end}]`;
  const members = stated(value).map(([key, item]) => `${indent}${JSON.stringify(key)}: ${render(item, depth + 1)}`);
  return `{\n${members.join(",\n")}${end}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  const members = stated(value).map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function stated(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
