import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFairLimit, createReadTurns, takeTurns } from "../src/index.ts";
import { shareOfReads } from "../src/read-turns.ts";

/** Turns of a process that makes no other reads. */
const turnsOn = (processors: number) => createReadTurns("eval-runs", createFairLimit(shareOfReads(processors)));

/** Reads that last until the test ends them. */
function openReads(turns = turnsOn(4)) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    endFirst: () => ends.shift()?.(),
    read: (projectId: string) =>
      turns.run(projectId, () => {
        begun.push(projectId);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
  };
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("a project reads two pages at a time, and another one need not wait for it", async () => {
  const { begun, endFirst, read } = openReads();
  for (const projectId of ["busy", "busy", "busy", "other"]) void read(projectId);
  await nextTurn();
  expect(begun).toEqual(["busy", "busy", "other"]);

  endFirst();
  await nextTurn();
  expect(begun).toEqual(["busy", "busy", "other", "busy"]);
});

test("on two processors a project reads one page at a time, in all services of a process together", async () => {
  const limit = createFairLimit(shareOfReads(2));
  const [lists, others] = [openReads(createReadTurns("eval-runs", limit)), openReads(createReadTurns("ingest", limit))];
  for (const { read } of [lists, others]) for (const projectId of ["busy", "other"]) void read(projectId);
  await nextTurn();
  expect([lists.begun, others.begun]).toEqual([["busy", "other"], []]);

  lists.endFirst();
  await nextTurn();
  expect(others.begun).toEqual(["busy"]);
});

test("a read that waits too long, or behind too many others of its project, is refused, and the rest go on", async () => {
  const { begun, endFirst, read } = openReads();
  const waiting = Array.from({ length: 2 + 64 }, () => read("busy"));
  const outcomes = Promise.allSettled(waiting);
  await expect(read("busy")).rejects.toMatchObject({ code: "service_unavailable" });
  await vi.advanceTimersByTimeAsync(5_000);
  await nextTurn();
  for (const end of [endFirst, endFirst]) end();

  const refused = (await outcomes).flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused).toHaveLength(64);
  expect(refused[0]).toMatchObject({
    code: "service_unavailable",
    message: "The eval-runs service has too many large answers to send; retry.",
  });
  expect(begun).toHaveLength(2);
});

test("a turn that was opened begins once, and is free for the next when it has ended", async () => {
  const turns = turnsOn(4);
  const [one, other, third] = [turns.open("p"), turns.open("p"), turns.open("p")];
  await Promise.all([one.begin(), one.begin(), other.begin()]);
  let hasBegun = false;
  const beginning = third.begin().then(() => {
    hasBegun = true;
  });
  await nextTurn();
  expect(hasBegun).toBe(false);

  one.end();
  await beginning;
  expect(hasBegun).toBe(true);
});

test("a reader that does not read its answer keeps no turn from the other answers of its project", async () => {
  async function* count() {
    for (let at = 0; at < 3; at += 1) yield at;
  }
  const stopped = Array.from({ length: 5 }, () => takeTurns("p", count()));
  await Promise.all(stopped.map((answer) => answer.next()));

  expect(await readAll(takeTurns("p", count()))).toEqual([0, 1, 2]);
});

test("an answer that fails reports it, ends its source, and releases its turn for the next", async () => {
  let ended = 0;
  async function* fail() {
    try {
      yield 1;
      throw new Error("the database is gone");
    } finally {
      ended += 1;
    }
  }
  for (let at = 0; at < 3; at += 1) {
    await expect(readAll(takeTurns("p", fail()))).rejects.toThrow("the database is gone");
  }
  const left = takeTurns("p", fail());
  await left.next();
  await left.return(undefined);
  expect(ended).toBe(4);
});
