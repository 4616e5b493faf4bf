import fc from "fast-check";
import { expect, test } from "vitest";
import { completeProjectKey, isWellFormedProjectKey } from "../src/index.ts";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const random = fc.array(fc.constantFrom(...base62), { minLength: 32, maxLength: 32 }).map((chars) => chars.join(""));

test("a key is tsk_, 32 random characters and their checksum", () => {
  expect(completeProjectKey("0123456789abcdefghijABCDEFGHIJxy")).toBe("tsk_0123456789abcdefghijABCDEFGHIJxy0PImn9");
});

test("a completed key is well formed", () => {
  fc.assert(fc.property(random, (text) => isWellFormedProjectKey(completeProjectKey(text))));
});

test("a key with one character changed is not well formed", () => {
  const typo = fc.tuple(random, fc.nat(41), fc.constantFrom(...base62));
  fc.assert(
    fc.property(typo, ([text, at, char]) => {
      const key = completeProjectKey(text);
      const changed = key.slice(0, at) + char + key.slice(at + 1);
      return changed === key || !isWellFormedProjectKey(changed);
    }),
  );
});

test.each([
  "",
  "tsk_",
  "x".repeat(42),
  "tsk_0123456789abcdefghijABCDEFGHIJxy",
  " tsk_0123456789abcdefghijABCDEFGHIJxy0PImn9",
])("%j is no key", (text) => {
  expect(isWellFormedProjectKey(text)).toBe(false);
});
