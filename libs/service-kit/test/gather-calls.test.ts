import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { gatherCalls } from "../src/gather-calls.ts";

/** Work whose rounds a test answers one by one. */
function scriptWork() {
  const rounds: { items: readonly string[]; answer(): void; fail(reason: unknown): void }[] = [];
  const work = (items: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      rounds.push({ items, answer: () => resolve(items.map((item) => `answer to ${item}`)), fail: reject });
    });
  return { rounds, work, roundsOfItems: () => rounds.map(({ items }) => items) };
}

test("items of one turn are combined, and so are those that arrive while they are processed", async () => {
  const { rounds, work, roundsOfItems } = scriptWork();
  const ask = gatherCalls(work);

  const first = Promise.all([ask("a"), ask("b")]);
  await endOfTurn();
  const second = Promise.all([ask("c"), ask("d")]);
  await endOfTurn();
  expect(roundsOfItems()).toEqual([["a", "b"]]);
  rounds[0]?.answer();
  expect(await first).toEqual(["answer to a", "answer to b"]);
  expect(roundsOfItems()).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  rounds[1]?.answer();
  expect(await second).toEqual(["answer to c", "answer to d"]);

  const later = ask("e");
  await endOfTurn();
  rounds[2]?.answer();
  expect(await later).toBe("answer to e");
});

test("a failure affects its own round only", async () => {
  const { rounds, work } = scriptWork();
  const ask = gatherCalls(work);

  const first = Promise.allSettled([ask("a"), ask("b")]);
  await endOfTurn();
  const second = ask("c");
  rounds[0]?.fail("away");
  expect(await first).toEqual(Array(2).fill({ status: "rejected", reason: "away" }));
  rounds[1]?.answer();
  expect(await second).toBe("answer to c");
});

test("items with other keys do not wait, and a round has a size limit", async () => {
  const { rounds, work, roundsOfItems } = scriptWork();
  const ask = gatherCalls(work, { keyOf: (item) => item.slice(0, 1), itemsMax: 2 });

  const answers = Promise.all(["a1", "b1", "a2", "a3"].map(ask));
  await endOfTurn();
  expect(roundsOfItems()).toEqual([["a1", "a2"], ["b1"]]);
  rounds[0]?.answer();
  rounds[1]?.answer();
  await endOfTurn();
  expect(roundsOfItems()).toEqual([["a1", "a2"], ["b1"], ["a3"]]);
  rounds[2]?.answer();
  expect(await answers).toEqual(["answer to a1", "answer to b1", "answer to a2", "answer to a3"]);
});
