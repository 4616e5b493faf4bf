import { describe, expect, test } from "vitest";
import { useStarted } from "../src/index.ts";

const events: string[] = [];

function use(name: string): { name: string; note: string } {
  return useStarted(
    async () => {
      events.push(`start ${name}`);
      return { name, note: "untouched" };
    },
    async (thing) => events.push(`end ${thing.name}, ${thing.note}`),
  );
}

describe("started things", () => {
  const [first, second] = [use("first"), use("second")];

  test("are complete in tests, and started in the order of the calls", () => {
    expect([{ ...first }, { ...second }]).toEqual([
      { name: "first", note: "untouched" },
      { name: "second", note: "untouched" },
    ]);
    expect(events).toEqual(["start first", "start second"]);
  });

  test("have what a test sets in them", () => {
    first.note = "changed";
    expect(first.note).toBe("changed");
  });
});

test("started things are ended after the tests of their block, the last one first", () => {
  expect(events.slice(2)).toEqual(["end second, untouched", "end first, changed"]);
});
