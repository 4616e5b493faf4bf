import { expect, test } from "vitest";
import { isArriving, rereadAfter } from "../../src/traces/arriving.ts";
import { buildTree, type OutlineSpan } from "../../src/traces/trace-tree.ts";

const base = { spanKind: "chain", hasError: false } as const;
const root: OutlineSpan = {
  ...base,
  _id: "1",
  spanId: "a",
  parentSpanId: null,
  name: "a",
  offsetMs: 0,
  latencyMs: 1_000,
};
const orphan: OutlineSpan = { ...root, _id: "2", spanId: "b", parentSpanId: "c" };

const startedMs = Date.parse("2026-01-01T00:00:00Z");
const trace = { createdAt: "2026-01-01T00:00:00Z", latencyMs: 1_000 };
const soon = startedMs + 30_000;
const later = startedMs + 600_000;

test("a recent trace without its end or without the parent of a span is still arriving", () => {
  expect(isArriving(trace, buildTree([root]), soon)).toBe(false);
  expect(isArriving(trace, buildTree([root, orphan]), soon)).toBe(true);
  expect(isArriving({ createdAt: trace.createdAt }, buildTree([root]), soon)).toBe(true);
});

test("after two minutes nothing more is waited for", () => {
  expect(isArriving(trace, buildTree([root, orphan]), later)).toBe(false);
  expect(rereadAfter(trace, buildTree([root, orphan]), later)).toBe(false);
});

test("a trace that has just ended is read again, a large one less often", () => {
  expect(rereadAfter(trace, buildTree([root]), startedMs + 5_000)).toBe(3_000);
  expect(rereadAfter(trace, buildTree([root]), soon)).toBe(false);
  const many = Array.from({ length: 6_000 }, (_, index) => ({ ...root, _id: `${index}`, spanId: `${index}` }));
  expect(rereadAfter(trace, buildTree(many), startedMs + 5_000)).toBe(10_000);
});
