import { expect, test } from "vitest";
import { showProgress } from "../src/progress.ts";

const format = "{value} of {total}, {failed} failed";

function show(lineEveryMs: number): { lines: string[]; view: ReturnType<typeof showProgress> } {
  const lines: string[] = [];
  const note = (text: string) => void lines.push(text);
  return { lines, view: showProgress({ total: 9, format, note, isTerminal: false, lineEveryMs }) };
}

test("progress without a terminal is a line with its figures", () => {
  const { lines, view } = show(0);
  view.update(3, { failed: 1 });
  view.note("a note");
  view.update(9, { failed: 2 });
  view.stop();
  expect(lines).toEqual(["3 of 9, 1 failed", "a note", "9 of 9, 2 failed"]);
});

test("lines of progress come no sooner than stated", () => {
  const { lines, view } = show(3_600_000);
  view.update(3, { failed: 1 });
  view.update(4, { failed: 1 });
  expect(lines).toEqual([]);
});
