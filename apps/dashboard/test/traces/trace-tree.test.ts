import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTree, type OutlineSpan } from "../../src/traces/trace-tree.ts";

let made = 0;

function span(fields: Partial<OutlineSpan> & { spanId: string | null }): OutlineSpan {
  made += 1;
  return {
    _id: `id-${made}`,
    parentSpanId: null,
    name: fields.spanId ?? "nameless",
    spanKind: "chain",
    offsetMs: 0,
    latencyMs: 100,
    hasError: false,
    ...fields,
  };
}

const shape = (spans: readonly OutlineSpan[]) =>
  buildTree(spans).nodes.map(({ span: { name }, depth, end, oddities }) => [name, depth, end, ...oddities]);

test("children stand below their parent in the order of their starts", () => {
  const spans = [
    span({ spanId: "root" }),
    span({ spanId: "first", parentSpanId: "root", offsetMs: 10, latencyMs: 20 }),
    span({ spanId: "second", parentSpanId: "root", offsetMs: 20, latencyMs: 20 }),
    span({ spanId: "below first", parentSpanId: "first", offsetMs: 25, latencyMs: 1 }),
  ];
  expect(shape(spans)).toEqual([
    ["root", 0, 4],
    ["first", 1, 3],
    ["below first", 2, 3],
    ["second", 1, 4],
  ]);
});

test("a span whose parent is not there is a separate root, marked; the requested one is not: its ancestors were not requested", () => {
  const spans = [
    span({ spanId: "asked", parentSpanId: "elsewhere" }),
    span({ spanId: "child", parentSpanId: "asked" }),
    span({ spanId: "lost", parentSpanId: "never sent" }),
    span({ spanId: "below lost", parentSpanId: "lost" }),
  ];
  expect(shape(spans)).toEqual([
    ["asked", 0, 2],
    ["child", 1, 2],
    ["lost", 0, 4, "orphan"],
    ["below lost", 1, 4],
  ]);
});

test("a circle of parents is opened at the member that starts first, and what hangs below it is kept", () => {
  const spans = [
    span({ spanId: "root" }),
    span({ spanId: "below", parentSpanId: "b", offsetMs: 10 }),
    span({ spanId: "a", parentSpanId: "b", offsetMs: 20 }),
    span({ spanId: "b", parentSpanId: "a", offsetMs: 30 }),
    span({ spanId: "own parent", parentSpanId: "own parent", offsetMs: 40 }),
  ];
  expect(shape(spans).map(([name, depth, , mark]) => [name, depth, mark])).toEqual([
    ["root", 0, undefined],
    ["a", 0, "cycle"],
    ["b", 1, "outlives"],
    ["below", 2, "early"],
    ["own parent", 0, "cycle"],
  ]);
});

test("a child that starts before its parent or ends after it is marked; a millisecond of rounding is not", () => {
  const spans = [
    span({ spanId: "root", offsetMs: 0, latencyMs: 100 }),
    span({ spanId: "early", parentSpanId: "root", offsetMs: -5, latencyMs: 10 }),
    span({ spanId: "late", parentSpanId: "root", offsetMs: 50, latencyMs: 100 }),
    span({ spanId: "rounded", parentSpanId: "root", offsetMs: 50.5, latencyMs: 50 }),
    span({ spanId: "unknown", parentSpanId: "root", offsetMs: 50, latencyMs: null }),
  ];
  const { nodes, fromMs, toMs } = buildTree(spans);
  expect(nodes.map(({ oddities }) => oddities)).toEqual([[], ["early"], ["outlives"], [], []]);
  expect([fromMs, toMs]).toEqual([-5, 150]);
});

test("each span knows how many below it failed", () => {
  const spans = [
    span({ spanId: "root" }),
    span({ spanId: "a", parentSpanId: "root", hasError: true }),
    span({ spanId: "b", parentSpanId: "a", hasError: true }),
    span({ spanId: "c", parentSpanId: "b" }),
  ];
  expect(buildTree(spans).nodes.map(({ errorsBelow }) => errorsBelow)).toEqual([2, 1, 0, 0]);
});

test("a chain of 50,000 spans is laid out without recursion", () => {
  const spans = Array.from({ length: 50_000 }, (_, index) =>
    span({ spanId: `s${index}`, parentSpanId: index === 0 ? null : `s${index - 1}` }),
  );
  expect(buildTree(spans).nodes.at(-1)?.depth).toBe(49_999);
});

test("whatever the parents are, each span is there once, below its parent unless it is marked or a root", () => {
  const name = fc.option(fc.constantFrom("a", "b", "c", "d", "e", "f"), { nil: null });
  const sent = fc.array(fc.record({ spanId: name, parentSpanId: name }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sent, (places) => {
      const spans = places.map((place) => span(place));
      const { nodes } = buildTree(spans);
      expect(nodes.map(({ span: { _id } }) => _id).toSorted()).toEqual(spans.map(({ _id }) => _id).toSorted());
      expect(nodes[0]?.depth).toBe(0);
      for (const [index, { span: own, parent, depth, end, oddities }] of nodes.entries()) {
        expect(end).toBeGreaterThan(index);
        const above = nodes[parent];
        if (above !== undefined) {
          expect(above.span.spanId).toBe(own.parentSpanId);
          expect(depth).toBe(above.depth + 1);
          expect(parent).toBeLessThan(index);
          expect(end).toBeLessThanOrEqual(above.end);
        } else if (own.parentSpanId !== null && own !== spans[0]) {
          expect(oddities.some((mark) => mark === "orphan" || mark === "cycle")).toBe(true);
        }
      }
    }),
  );
});
