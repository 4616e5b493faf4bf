import { isUuid } from "@touchstone/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { uuidv7, uuidv7TimeMs } from "../src/index.ts";

const timeMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test("an id is a version 7 UUID that contains its millisecond", () => {
  fc.assert(
    fc.property(timeMs, (atMs) => {
      const id = uuidv7(atMs);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(uuidv7TimeMs(id)).toBe(atMs);
    }),
  );
});

test("ids sort by their time", () => {
  fc.assert(
    fc.property(timeMs, timeMs, (one, other) => {
      fc.pre(one !== other);
      expect(uuidv7(one) < uuidv7(other)).toBe(one < other);
    }),
  );
});

test("a hundred thousand ids of one millisecond are all different", () => {
  expect(new Set(Array.from({ length: 100_000 }, () => uuidv7(1))).size).toBe(100_000);
});

test("only the canonical lower-case form counts as an id", () => {
  const id = uuidv7(1);
  expect([id, id.toUpperCase(), `{${id}}`, `${id}0`, id.replaceAll("-", ""), ""].map(isUuid)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("ids of one millisecond sort in creation order", () => {
  const atMs = Date.UTC(2026, 0, 1);
  const ids = Array.from({ length: 3_000 }, () => uuidv7(atMs));
  expect(ids.toSorted()).toEqual(ids);
});
