import { describe, expect, test } from "vitest";
import { useStarted } from "../src/index.ts";

const events: string[] = [];

function use(name: string): { name: string } {
  return useStarted(
    async () => {
      events.push(`start ${name}`);
      return { name };
    },
    async (ended) => events.push(`end ${ended.name}`),
  );
}

describe("started things", () => {
  const [first, second] = [use("first"), use("second")];

  test("are complete in tests, and started in the order of the calls", () => {
    expect([first, second]).toEqual([{ name: "first" }, { name: "second" }]);
    expect(events).toEqual(["start first", "start second"]);
  });
});

test("started things are ended after the tests of their block, the last one first", () => {
  expect(events.slice(2)).toEqual(["end second", "end first"]);
});
