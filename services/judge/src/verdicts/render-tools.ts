import type { Trajectory } from "@touchstone/contracts";
import { makeStorable, onOneLine } from "../prompting/storable-text.ts";

const definitionsMax = 40;
const definitionMaxChars = 4_000;
const unusedNamesMax = 100;
const nameMaxChars = 200;

/**
 * The definitions of the tools that were used, and one line that names the others (completions 4.2, tool context `detailed`).
 * Null when no definition is known.
 */
export function renderTools({ steps, toolCalls, toolDefinitions }: Trajectory): string | null {
  // Both the trace and the project may define a tool; the trace's definition comes first and counts.
  const known = new Map<string, string>();
  for (const { name, definition } of toolDefinitions) if (!known.has(name)) known.set(name, definition);
  const called = new Set([
    ...toolCalls.map(({ name }) => name),
    ...steps.filter(({ kind }) => kind === "tool").map(({ name }) => name),
  ]);

  const used = [...known].filter(([name]) => called.has(name));
  const unused = [...known.keys()].filter((name) => !called.has(name)).map((name) => onOneLine(name, nameMaxChars));
  const blocks = used
    .slice(0, definitionsMax)
    .map(([name, definition]) => `${onOneLine(name, nameMaxChars)}: ${makeStorable(definition, definitionMaxChars)}`);
  if (used.length > definitionsMax) blocks.push(`(${used.length - definitionsMax} more definitions omitted)`);
  if (unused.length > 0) blocks.push(`Not used: ${joinNames(unused)}`);
  return blocks.length > 0 ? blocks.join("\n\n") : null;
}

function joinNames(names: readonly string[]): string {
  const left = names.length - unusedNamesMax;
  return `${names.slice(0, unusedNamesMax).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}
