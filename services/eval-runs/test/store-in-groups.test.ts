import { setImmediate as endOfTurn } from "node:timers/promises";
import { AppError } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { createGroupedStore } from "../src/results/store-in-groups.ts";
import type { StoredResult } from "../src/results/stored-result.ts";

const result = (keyDigest: string) => ({ keyDigest }) as StoredResult;

/** A `finish` whose calls a test answers one by one. */
function scriptFinish() {
  const calls: { digests: string[]; succeed: (stored: string[]) => void; fail: (reason: unknown) => void }[] = [];
  const finish = (results: readonly StoredResult[]) =>
    new Promise<Set<string>>((resolve, reject) => {
      const digests = results.map(({ keyDigest }) => keyDigest);
      calls.push({ digests, succeed: (stored) => resolve(new Set(stored)), fail: reject });
    });
  return { calls, finish };
}

test("items of one turn are stored at once and together, and so are those that arrive meanwhile", async () => {
  const { calls, finish } = scriptFinish();
  const store = createGroupedStore(finish);

  const first = store(result("a"));
  const second = store(result("b"));
  await endOfTurn();
  const rest = [store(result("c")), store(result("d"))];
  await endOfTurn();
  expect(calls.map((call) => call.digests)).toEqual([["a", "b"]]);
  calls[0]?.succeed(["a", "b"]);
  expect(await Promise.all([first, second])).toEqual([true, true]);

  expect(calls.map((call) => call.digests)).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  calls[1]?.succeed(["d"]);
  expect(await Promise.all(rest)).toEqual([false, true]);
});

test("an unavailable store is retried; a group that cannot be stored fails alone", async () => {
  const { calls, finish } = scriptFinish();
  const store = createGroupedStore(async (results) => {
    if (calls.length === 0) {
      calls.push({ digests: [], succeed: () => undefined, fail: () => undefined });
      throw new AppError("store_unavailable", "away");
    }
    return finish(results);
  });

  const first = store(result("a"));
  await endOfTurn();
  const second = store(result("b"));
  while (calls.length < 2) await new Promise(setImmediate);
  calls[1]?.fail(new TypeError("a bug"));
  await expect(first).rejects.toThrow(TypeError);
  while (calls.length < 3) await new Promise(setImmediate);
  calls[2]?.succeed(["b"]);
  expect(await second).toBe(true);
});
