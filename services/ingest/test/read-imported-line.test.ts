import { limits } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { createImportCounter } from "../src/import/import-tally.ts";
import { readImportedLine } from "../src/import/read-imported-line.ts";
import type { IncomingSpan } from "../src/model/span.ts";

/** Reads a line; answers its spans, its faults and how often other work had a turn meanwhile. */
async function read(line: string, signal = new AbortController().signal) {
  const counter = createImportCounter();
  const spans: IncomingSpan[] = [];
  let turns = 0;
  let isOver = false;
  const countTurn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const reading = readImportedLine(
    { number: 1, bytes: Buffer.from(line) },
    { rowsMax: 10, bytesMax: 1024 },
    {
      nowMs: Date.now(),
      counter,
      signal,
      async take(more) {
        spans.push(...more);
      },
    },
  );
  await reading.finally(() => {
    isOver = true;
  });
  return { spans, turns, tally: counter.tally() };
}

const brackets = `[${"[],".repeat(2_000_000)}0]`;

test.each([
  ["an input", `"input":${brackets}`],
  ["metadata", `"metadata":{"otel":{"x":${brackets}}}`],
  ["tool calls", `"toolCalls":[{"name":"a","input":${brackets}}]`],
])("a line with long %s leaves other work its turns", async (_what, member) => {
  const { spans, turns } = await read(`{"name":"agent",${member}}`);

  expect(spans).toMatchObject([{ name: "agent" }]);
  expect(turns).toBeGreaterThan(1);
});

test("a long line is read no further once its import has ended", async () => {
  await expect(read(`{"name":"agent","input":${brackets}}`, AbortSignal.abort(new Error("gone")))).rejects.toThrow(
    "gone",
  );
});

test.each([
  ["members", "metadata", `{${Array.from({ length: limits.jsonMembersMax + 1 }, (_, index) => `"${index}":1`)}}`],
  ["items", "toolCalls", `[${"{},".repeat(limits.jsonMembersMax)}{}]`],
])("a line with too many %s in its %s is refused", async (what, member, json) => {
  const { spans, tally } = await read(`{"name":"agent","${member}":${json}}`);

  expect(spans).toEqual([]);
  expect(tally).toMatchObject({ rejected: 1 });
  expect(JSON.stringify(tally)).toContain(`more than ${limits.jsonMembersMax} ${what} in one place`);
});
