import { expect, onTestFinished, test } from "vitest";
import type { Call } from "../src/index.ts";
import { rejection, startBusWorld } from "./bus-world.ts";
import { weighText } from "./test-messages.ts";

test.each([
  ["ahead", 600_000],
  ["behind", -600_000],
])("a request has the same time at a member whose clock is ten minutes %s", async (_, offsetMs) => {
  const clock = { now: () => Date.now() + offsetMs };
  const world = await startBusWorld();
  onTestFinished(() => world.close());
  const member = await world.open("judge", { clock });
  const lefts: number[] = [];
  const aborted = Promise.withResolvers<unknown>();
  const answering = async ({ text }: { text: string }, call: Call) => {
    lefts.push(call.deadlineAtMs - clock.now());
    if (text !== "endless") return { weight: text.length, by: "judge" };
    call.signal.addEventListener("abort", () => aborted.resolve(call.signal.reason));
    throw await aborted.promise;
  };
  await member.answer(weighText, answering, { concurrency: 4 });
  const requester = await world.open("eval-runs");
  const ask = (text: string, timeoutMs: number) => requester.request(weighText, { text }, { timeoutMs });
  expect(await ask("feather", 9_000)).toEqual({ weight: 7, by: "judge" });
  expect(lefts[0]).toBeLessThanOrEqual(9_000);
  expect(lefts[0]).toBeGreaterThan(0);
  await rejection(ask("endless", 500));
  await aborted.promise;
});
