import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTree, foldableDepth, indexOfSpan, type TreeNode } from "../../src/traces/trace-tree.ts";
import {
  ancestorsOf,
  indentOf,
  isFolded,
  nextError,
  printFolds,
  readFolds,
  visibleRows,
  withFold,
  withRevealed,
} from "../../src/traces/tree-rows.ts";

/** root > (plan > lookup), (act > refund, which fails), answer */
const tree = buildTree(
  [
    ["root", null],
    ["plan", "root"],
    ["lookup", "plan"],
    ["act", "root"],
    ["refund", "act"],
    ["answer", "root"],
  ].map(([spanId, parentSpanId], index) => ({
    _id: `id-${spanId}`,
    spanId: spanId as string,
    parentSpanId: parentSpanId ?? null,
    name: spanId as string,
    spanKind: "chain" as const,
    offsetMs: index,
    latencyMs: 10 - index,
    hasError: spanId === "refund",
  })),
);
const names = (rows: readonly number[]) => rows.map((index) => tree.nodes[index]?.span.name);
const node = (index: number) => tree.nodes[index] as TreeNode;

test("a folded span hides all that is below it and nothing else", () => {
  expect(names(visibleRows(tree, readFolds()))).toEqual(["root", "plan", "lookup", "act", "refund", "answer"]);
  expect(names(visibleRows(tree, readFolds(["id-plan"])))).toEqual(["root", "plan", "act", "refund", "answer"]);
  expect(names(visibleRows(tree, readFolds(["id-root"])))).toEqual(["root"]);
});

test("everything from a depth on is folded by one word, and single spans are opened again", () => {
  expect(names(visibleRows(tree, readFolds(["d1"])))).toEqual(["root", "plan", "act", "answer"]);
  expect(names(visibleRows(tree, readFolds(["d1", "id-act"])))).toEqual(["root", "plan", "act", "refund", "answer"]);
});

test("folding and unfolding any span leads back to where one began, also through the URL", () => {
  const words = fc.subarray(["d0", "id-root", "id-plan", "id-act"]);
  fc.assert(
    fc.property(words, fc.integer({ min: 0, max: tree.nodes.length - 1 }), (given, index) => {
      const folds = readFolds(given);
      const was = isFolded(folds, node(index));
      const turned = withFold(folds, node(index), !was);
      expect(isFolded(turned, node(index))).toBe(!was);
      const back = withFold(readFolds(printFolds(turned)), node(index), was);
      expect(printFolds(back).toSorted()).toEqual(printFolds(folds).toSorted());
    }),
  );
});

test("revealing a span opens what is above it", () => {
  const refund = indexOfSpan(tree, "id-refund");
  expect(names(ancestorsOf(tree, refund))).toEqual(["root", "act"]);
  const revealed = withRevealed(readFolds(["d0"]), tree, refund);
  expect(names(visibleRows(tree, revealed))).toEqual(["root", "plan", "act", "refund", "answer"]);
});

test("the next error is found around the end; there is none where nothing failed", () => {
  expect(nextError(tree, 0)).toBe(4);
  expect(nextError(tree, 5)).toBe(4);
  expect(nextError(tree, 0, -1)).toBe(4);
  expect(nextError(tree, 4)).toBe(4);
  const calm = buildTree(tree.nodes.map(({ span }) => ({ ...span, hasError: false })));
  expect(nextError(calm, 0)).toBeNull();
});

test("levels are 14 pixels wide at first and 4 below the sixth, from the shallowest in sight, within the column", () => {
  expect([0, 1, 6, 7, 10].map((depth) => indentOf(depth, 0, 500))).toEqual([0, 14, 84, 88, 100]);
  expect(indentOf(42, 40, 500)).toBe(28);
  expect(indentOf(400, 0, 120)).toBe(120);
  expect(indentOf(3, 5, 500)).toBe(0);
});

test("a tree folds as deep as the deepest span that has others below it", () => {
  expect(foldableDepth(tree)).toBe(1);
});
