import { expect, onTestFinished, test, vi } from "vitest";
import { runInSlices, type Sliced } from "../src/run-in-slices.ts";

const unaborted = new AbortController().signal;

/** Pieces of about a millisecond each. */
function* work(pieces: number): Sliced<string> {
  for (let piece = 0; piece < pieces; piece += 1) {
    const until = performance.now() + 1;
    while (performance.now() < until);
    yield;
  }
  return "done";
}

/** Counts the turns of the event loop from now on, until the test ends. */
function countTurns(): () => number {
  let turns = 0;
  let handle = setImmediate(function count() {
    turns += 1;
    handle = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(handle));
  return () => turns;
}

test("other work gets its turn during long work", async () => {
  const turns = countTurns();

  await expect(runInSlices(work(60), unaborted)).resolves.toBe("done");

  expect(turns()).toBeGreaterThanOrEqual(3);
});

test("of several long works one goes on in each turn of the event loop", async () => {
  const turns = countTurns();
  const worksOfTurns = new Map<number, Set<number>>();
  function* noted(number: number): Sliced<string> {
    const pieces = work(40);
    for (;;) {
      worksOfTurns.set(turns(), (worksOfTurns.get(turns()) ?? new Set()).add(number));
      const step = pieces.next();
      if (step.done) return step.value;
      yield;
    }
  }

  const works = Array.from({ length: 8 }, (_, number) => runInSlices(noted(number), unaborted));
  await expect(Promise.all(works)).resolves.toHaveLength(8);

  // All of them began in the first one.
  const [, ...others] = worksOfTurns.values();
  expect(others.length).toBeGreaterThanOrEqual(8);
  expect(others.map(({ size }) => size)).toEqual(others.map(() => 1));
});

test("short work is done without yielding", async () => {
  // The process may lose the processor for longer than a slice.
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  function* short(): Sliced<string> {
    yield;
    return "done";
  }
  let othersRan = false;
  setImmediate(() => {
    othersRan = true;
  });
  await expect(runInSlices(short(), unaborted)).resolves.toBe("done");
  expect(othersRan).toBe(false);
});

test("work stops with the signal's reason once it is aborted", async () => {
  const stop = new AbortController();
  const endless = runInSlices(work(Number.POSITIVE_INFINITY), stop.signal);
  setImmediate(() => stop.abort(new Error("too late")));
  await expect(endless).rejects.toThrow("too late");
  await expect(runInSlices(work(1), stop.signal)).rejects.toThrow("too late");
});
