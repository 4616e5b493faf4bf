import type { CallOutcome } from "./tool-calls.ts";

/** An index holds it beside other texts, within a third of a page. */
const tallyMaxBytes = 600;
const nameMaxChars = 100;

/**
 * Tool calls in the format of the column `spans.tools`: one line `<calls> <failures> <name>` for each name, most calls
 * first; null if there are none. Names are cut at 100 characters; calls whose names do not fit into 600 bytes are
 * counted without a name.
 */
export function writeToolTally(calls: readonly CallOutcome[]): string | null {
  if (calls.length === 0) return null;
  const counts = new Map<string, { calls: number; failures: number }>();
  for (const { name, hasFailed } of calls) add(counts, toLineText(name), { calls: 1, failures: hasFailed ? 1 : 0 });
  const lines = new Map<string, { calls: number; failures: number }>();
  // Reserves space for the calls without a name.
  let left = tallyMaxBytes - 10;
  for (const [name, count] of [...counts].sort(([, one], [, other]) => other.calls - one.calls)) {
    left -= Buffer.byteLength(name) + 8;
    add(lines, left < 0 ? "" : name, count);
  }
  return [...lines].map(([name, count]) => `${count.calls} ${count.failures} ${name}`).join("\n");
}

function add(
  counts: Map<string, { calls: number; failures: number }>,
  name: string,
  { calls, failures }: { calls: number; failures: number },
): void {
  const known = counts.get(name);
  counts.set(name, { calls: calls + (known?.calls ?? 0), failures: failures + (known?.failures ?? 0) });
}

function toLineText(name: string): string {
  return name
    .slice(0, nameMaxChars)
    .toWellFormed()
    .replaceAll(/[\0\r\n]/g, " ")
    .trim();
}
