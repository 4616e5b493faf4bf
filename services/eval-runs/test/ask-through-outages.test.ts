import { setTimeout as sleep } from "node:timers/promises";
import { type Bus, BusError } from "@touchstone/bus";
import { scoreMembers } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { askThroughOutages } from "../src/judging/ask-through-outages.ts";

const lost = () => new BusError("no_responder", "nobody is there", { subject: "s" });
const reply = { members: [] };

/** A bus whose first request is lost after `workMs`, and whose later ones are answered from `backMs` on. */
function loseRequest({ workMs, backMs }: { workMs: number; backMs: number }): { bus: Bus; asked: () => number } {
  const startedMs = performance.now();
  let asked = 0;
  const request = async (): Promise<unknown> => {
    asked += 1;
    if (asked === 1) await sleep(workMs);
    if (asked === 1 || performance.now() - startedMs < backMs) throw lost();
    return reply;
  };
  return { bus: { request } as unknown as Bus, asked: () => asked };
}

const ask = (bus: Bus, { timeoutMs = 5_000, outageMs = 700 } = {}) =>
  askThroughOutages(bus, scoreMembers, {} as never, { timeoutMs, outageMs, signal: new AbortController().signal });

test("a request that was lost after long work is sent again: the wait begins when the service is found unavailable", async () => {
  const { bus, asked } = loseRequest({ workMs: 900, backMs: 0 });

  expect(await ask(bus)).toEqual({ reply });
  expect(asked()).toBe(2);
});

test("a service that does not come back is waited for as long as agreed, and never beyond the deadline", async () => {
  const { bus, asked } = loseRequest({ workMs: 0, backMs: 60_000 });
  expect(await ask(bus)).toMatchObject({ failure: { kind: "no_responder" } });
  expect(asked()).toBe(2);

  expect(await ask(bus, { timeoutMs: 300 })).toMatchObject({ failure: { kind: "no_responder" } });
  expect(asked()).toBe(3);
});
