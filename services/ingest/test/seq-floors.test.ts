import { expect, test } from "vitest";
import { createSeqFloors } from "../src/live/seq-floors.ts";
import type { TailState } from "../src/live/tail-store.ts";

function stateAt(begunBefore: bigint, lastSeq: bigint): TailState {
  return { horizon: begunBefore, nextXid: begunBefore, begunBefore, running: new Set(), lastSeq };
}

/** Floors over reads that are answered on command, in the order of the requests. */
function openFloors() {
  const answers: ((state: TailState) => void)[] = [];
  const floors = createSeqFloors({ readState: () => new Promise((resolve) => answers.push(resolve)) });
  return { floors, answer: (at: number, state: TailState) => answers[at]?.(state) };
}

test("texts of transactions that began after a reading are over the number of the reading before it", async () => {
  const { floors, answer } = openFloors();
  const first = floors.readState();
  answer(0, stateAt(10n, 5n));
  await first;
  const second = floors.readState();
  answer(1, stateAt(12n, 7n));
  await second;

  expect(floors.floorOf(11n)).toBe(0n);
  expect(floors.floorOf(12n)).toBe(5n);
});

test("a read says nothing about one that runs at the same time, whichever is answered first", async () => {
  const { floors, answer } = openFloors();
  const older = floors.readState();
  const newer = floors.readState();
  answer(1, stateAt(12n, 7n));
  await newer;
  answer(0, stateAt(10n, 5n));
  await older;

  // Transaction 10 has the numbers 6 and 7.
  expect(floors.floorOf(10n)).toBe(0n);
});
