import { expect, test } from "vitest";
import { someAtOnce } from "../src/api/some-at-once.ts";

test("works on so many at once and answers in order", async () => {
  let running = 0;
  let most = 0;
  const results = await someAtOnce([30, 1, 20, 1, 5], 2, async (ms) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running--;
    return ms * 2;
  });
  expect(results).toEqual([60, 2, 40, 2, 10]);
  expect(most).toBe(2);
});

test("begins nothing after a failure but what is under way", async () => {
  const begun: number[] = [];
  const work = someAtOnce([1, 2, 3, 4], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error("no");
  });
  await expect(work).rejects.toThrow("no");
  expect(begun).toEqual([1, 2]);
});

test("rejects with the first failure when what is under way has ended, and begins nothing else", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const fail = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const items = Array.from({ length: 12 }, (_, index) => index);
  const work = someAtOnce(items, 4, async (item) => {
    begun.push(item);
    await (item === 1 ? fail.promise : goOn.promise);
    ended.push(item);
  });
  let isSettled = false;
  const settled = work.catch((problem: unknown) => {
    isSettled = true;
    return problem;
  });
  fail.reject(new Error("no"));
  await new Promise((resolve) => setTimeout(resolve));
  expect(isSettled).toBe(false);
  goOn.resolve();
  expect(await settled).toEqual(new Error("no"));
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(ended).toEqual([0, 2, 3]);
});
