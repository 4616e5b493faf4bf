import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterInSlices, forEachInSlices, mapInSlices, sortInSlices } from "../src/long-lists.ts";
import { runAtOnce, type Sliced } from "../src/run-in-slices.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => (index * 7_919) % count);

function countPauses(work: Sliced<unknown>): number {
  let pauses = 0;
  while (work.next().done !== true) pauses += 1;
  return pauses;
}

describe("a long list", () => {
  test("is sorted as at once, and equal items keep their order", () => {
    const item = fc.record({ key: fc.integer({ min: 0, max: 50 }) });
    const byKey = (one: { key: number }, other: { key: number }): number => one.key - other.key;
    const some = fc.array(item, { maxLength: 30 });
    const many = fc.array(item, { minLength: 1_200, maxLength: 3_000 });
    fc.assert(
      fc.property(fc.oneof(some, many), (items) => {
        const sorted = runAtOnce(sortInSlices(items, byKey));
        expect(sorted).toHaveLength(items.length);
        for (const [index, one] of items.toSorted(byKey).entries()) expect(sorted[index]).toBe(one);
      }),
      { numRuns: 20 },
    );
  });

  test("is mapped, filtered and visited in order", () => {
    const items = numbers(2_345);
    const visited: number[] = [];

    runAtOnce(forEachInSlices(items, (item, index) => visited.push(item + index)));

    expect(visited).toEqual(items.map((item, index) => item + index));
    expect(runAtOnce(mapInSlices(items, (item, index) => item * index))).toEqual(
      items.map((item, index) => item * index),
    );
    expect(runAtOnce(filterInSlices(items, (item) => item % 3 === 0))).toEqual(items.filter((item) => item % 3 === 0));
  });

  test.each([
    ["visited", (items: readonly number[]) => forEachInSlices(items, () => {})],
    ["mapped", (items: readonly number[]) => mapInSlices(items, (item) => item)],
    ["sorted", (items: readonly number[]) => sortInSlices(items, (one, other) => one - other)],
  ])("is %s with a pause after each few hundred items", (_how, work) => {
    expect(countPauses(work(numbers(50_000)))).toBeGreaterThanOrEqual(100);
    expect(countPauses(work(numbers(100)))).toBeLessThanOrEqual(1);
  });
});
