import { type Identity, routes } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { AnswerRoom, createAnswerBudget } from "../src/answer-room.ts";
import { AppError } from "../src/app-error.ts";
import { type Call, createCall } from "../src/call.ts";

test("a call has no getter of its own, which would retain its request until the next major collection", () => {
  const getters = Object.values(Object.getOwnPropertyDescriptors(makeCall())).filter(({ get }) => get !== undefined);
  expect(getters).toEqual([]);
});

test("the signal of a call is created on demand, and once", () => {
  let made = 0;
  const call = makeCall(() => {
    made += 1;
    return new AbortController().signal;
  });
  expect(made).toBe(0);
  expect(call.signal).toBe(call.signal);
  expect(made).toBe(1);
});

function makeCall(signal = () => new AbortController().signal): Call {
  return createCall({
    identity: {} as Identity,
    route: routes.submitTrace,
    maxBytes: 0,
    params: {},
    query: {},
    headers: {},
    body: undefined,
    share: { enter: async () => {}, take: () => {}, giveWay: () => {}, release: () => {} },
    room: new AnswerRoom(createAnswerBudget({ bytesMax: 1 }), () => new AppError("service_unavailable", "")),
    signal,
  });
}
