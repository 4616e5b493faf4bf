import { describe, expect, test } from "vitest";
import {
  addWaiting,
  canTakeFresh,
  nothingWaits,
  takeFresh,
  waitingMost,
  withoutRows,
} from "../../src/traces/fresh-rows.ts";
import type { TraceRow } from "../../src/traces/list-queries.ts";

const row = (_id: string, name = _id): TraceRow => ({
  _id,
  name,
  spanKind: "agent",
  judgeScores: null,
  source: "sdk",
  createdAt: "2026-11-23T12:00:00.000Z",
  inputTokens: null,
  outputTokens: null,
});
const ids = (rows: readonly TraceRow[]): string[] => rows.map(({ _id }) => _id);
const waiting = (...rows: string[]) => ({ rows: rows.map((id) => row(id)), dropped: 0 });

/** Two pages: 9, 8 and 5, 4. */
function twoPages() {
  const first = { cursor: null, above: 0, before: null };
  return {
    pages: [
      { traces: [row("9"), row("8")], totalCount: 4, nextCursor: "8" },
      { traces: [row("5"), row("4")], totalCount: 4, nextCursor: null },
    ],
    pageParams: [first, { cursor: "8", above: 2, before: first }],
  };
}

describe("rows that wait", () => {
  test("are newest first, in whatever order they come", () => {
    const rows = ["3", "9", "5"].map((id) => row(id)).reduce(addWaiting, nothingWaits).rows;
    expect(ids(rows)).toEqual(["9", "5", "3"]);
  });

  test("are replaced when they are stored again", () => {
    const { rows } = [row("3", "first"), row("3", "second")].reduce(addWaiting, nothingWaits);
    expect(rows.map(({ name }) => name)).toEqual(["second"]);
  });

  test("are bounded: of more only the number is known, and the list has to be read again", () => {
    const many = Array.from({ length: waitingMost + 7 }, (_, index) => row(String(1000 + index)));
    const all = many.reduce(addWaiting, nothingWaits);
    expect([all.rows.length, all.dropped]).toEqual([waitingMost, 7]);
    expect(canTakeFresh(twoPages(), all)).toBe(false);
  });
});

describe("taking rows into the list", () => {
  test("puts each where its id belongs and counts it", () => {
    const { pages } = takeFresh(twoPages(), waiting("91", "6", "3"));
    expect(pages.map(({ traces }) => ids(traces))).toEqual([
      ["91", "9", "8"],
      ["6", "5", "4", "3"],
    ]);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([7, 7]);
  });

  test("replaces a row that is there and does not count it twice", () => {
    const { pages } = takeFresh(twoPages(), { rows: [row("5", "again")], dropped: 0 });
    expect(pages[1]?.traces.map(({ name }) => name)).toEqual(["again", "4"]);
    expect(pages[0]?.totalCount).toBe(4);
  });

  test("moves the places of later pages", () => {
    const { pageParams } = takeFresh(twoPages(), waiting("99"));
    expect(pageParams.map((place) => (place as { above: number }).above)).toEqual([0, 3]);
  });

  test("cannot be done while the first page is let go", () => {
    const { pages, pageParams } = twoPages();
    const later = { pages: pages.slice(1), pageParams: pageParams.slice(1) };
    expect(canTakeFresh(later, waiting("99"))).toBe(false);
    expect(canTakeFresh(twoPages(), waiting("99"))).toBe(true);
  });
});

test("deleted rows leave the list and its count", () => {
  const { pages } = withoutRows(twoPages(), new Set(["8", "4", "unknown"]));
  expect(pages.map(({ traces, totalCount }) => [...ids(traces), totalCount])).toEqual([
    ["9", 2],
    ["5", 2],
  ]);
});
