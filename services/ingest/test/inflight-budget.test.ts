import { expect, test } from "vitest";
import { createInflightBudget } from "../src/http/otlp/inflight-budget.ts";

/** A call whose body takes a while to inflate to `inflatedBytes`. */
function createCall(wireBytes: number, inflatedBytes: number) {
  const rawBody = Buffer.alloc(wireBytes);
  let finish = (): void => {};
  const inflated = new Promise<Buffer>((resolve) => {
    finish = () => resolve(inflatedBytes === wireBytes ? rawBody : Buffer.alloc(inflatedBytes));
  });
  let isReading = false;
  return {
    rawBody,
    body: () => {
      isReading = true;
      return inflated;
    },
    finish,
    isReading: () => isReading,
  };
}

function createWork() {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { work: () => done, finish };
}

test("what does not fit beside what is in hand is refused, and fits again afterwards", async () => {
  const budget = createInflightBudget({ bytesMax: 100, rowsMax: 10 });
  const [first, second, again] = [createCall(10, 60), createCall(10, 50), createCall(10, 50)];
  for (const call of [first, second, again]) call.finish();
  const { work, finish } = createWork();
  const held = budget.hold(first, work);
  await expect(budget.hold(second, async () => "read")).rejects.toMatchObject({ code: "queue_full" });

  finish();
  await held;
  await expect(budget.hold(again, async (body) => body.length)).resolves.toBe(50);
});

test("a body that was sent as it is counts once", async () => {
  const budget = createInflightBudget({ bytesMax: 100, rowsMax: 10 });
  const { work, finish } = createWork();
  const call = createCall(90, 90);
  call.finish();
  const held = budget.hold(call, work);
  finish();
  await expect(held).resolves.toBeUndefined();
});

test("one that fails gives back what it held", async () => {
  const budget = createInflightBudget({ bytesMax: 100, rowsMax: 10 });
  for (let turn = 0; turn < 3; turn += 1) {
    const call = createCall(90, 90);
    call.finish();
    const failing = budget.hold(call, async () => {
      throw new Error("not an export");
    });
    await expect(failing).rejects.toThrow("not an export");
  }
});

test("two bodies are inflated at a time, the others in the order they came", async () => {
  const budget = createInflightBudget({ bytesMax: 1_000, rowsMax: 10 });
  const calls = Array.from({ length: 4 }, () => createCall(10, 20));
  const order: number[] = [];
  const held = calls.map((call, index) => budget.hold(call, async () => order.push(index)));
  expect(calls.map((call) => call.isReading())).toEqual([true, true, false, false]);

  calls[1]?.finish();
  await held[1];
  expect(calls.map((call) => call.isReading())).toEqual([true, true, true, false]);
  for (const call of calls) call.finish();
  await Promise.all(held);
  expect(order.toSorted()).toEqual([0, 1, 2, 3]);
});

test("decoded rows that do not fit beside those of others are refused; one export alone always fits", async () => {
  const budget = createInflightBudget({ bytesMax: 1_000, rowsMax: 10 });
  const calls = Array.from({ length: 3 }, () => createCall(10, 10));
  for (const call of calls) call.finish();
  const [first, second, third] = calls as [(typeof calls)[number], (typeof calls)[number], (typeof calls)[number]];
  const { work, finish } = createWork();
  const held = budget.hold(first, (body, holdRows) => {
    holdRows(5);
    holdRows(12);
    holdRows(8);
    expect(body).toHaveLength(10);
    return work();
  });
  const crowd = (call: (typeof calls)[number]) =>
    budget.hold(call, async (_body, holdRows) => {
      holdRows(2);
      holdRows(3);
    });
  await expect(crowd(second)).rejects.toMatchObject({ code: "queue_full" });

  finish();
  await held;
  await expect(crowd(third)).resolves.toBeUndefined();
});
