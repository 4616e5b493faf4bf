import { expect, test } from "vitest";
import { writeToolTally } from "../src/model/tool-tally.ts";

const call = (name: string, hasFailed = false) => ({ name, hasFailed });

test("calls are counted by name, most calls first", () => {
  const calls = [call("fetch", true), call("search"), call("search", true), call("search")];
  expect(writeToolTally(calls)).toBe("3 1 search\n1 1 fetch");
  expect(writeToolTally([])).toBeNull();
});

test("a name is one line, and calls beyond 600 bytes are counted without their names", () => {
  expect(writeToolTally([call(" two\nlines ")])).toBe("1 0 two lines");
  const calls = Array.from({ length: 50 }, (_, index) => call(`${index}${"é".repeat(200)}`, true));
  const lines = writeToolTally(calls)?.split("\n") ?? [];
  expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(600);
  expect(lines.at(-1)).toBe(`${51 - lines.length} ${51 - lines.length} `);
  expect(lines.length).toBeGreaterThan(1);
});
