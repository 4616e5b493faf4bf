import { judged } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isAppError, parseBody } from "../src/index.ts";

const schema = z.object({
  name: z.string().min(1).max(3),
  size: z.number().nullable(),
  tags: z.array(z.string().max(2)).max(1).optional(),
  note: z.string().nullish(),
  pairs: z.array(z.object({ key: z.string("must be text") })).optional(),
});
const sentences = {
  name: { too_big: "name must have at most 3 characters", otherwise: "name must be text" },
  size: "size must be a number or null",
  tags: { too_big: "tags must have at most 1 entry", otherwise: "tags must be an array of short strings" },
  note: "note must be text",
  pairs: { otherwise: "pairs must be a list", places: true },
} as const;
const bodyOf = (needed: ("name" | "size" | "note")[] = []) =>
  judged({ kind: "json", schema, maxBytes: 1_000, required: true }, sentences, needed);

function refusal(sent: unknown, needed: ("name" | "size" | "note")[] = []) {
  try {
    parseBody(sent, bodyOf(needed));
  } catch (thrown) {
    if (isAppError(thrown)) return [thrown.code, thrown.message];
    throw thrown;
  }
  return null;
}

describe("a body", () => {
  test("is given with the members the schema names, without those that are undefined", () => {
    const read = parseBody({ name: "a", size: null, tags: undefined, note: null, more: 1 }, bodyOf());
    expect(Object.entries(read)).toEqual([
      ["name", "a"],
      ["size", null],
      ["note", null],
    ]);
  });

  test.each([
    ["the first member of the schema that is wrong", { size: "x", name: 5 }, "name must be text"],
    ["a member that is missing", { name: "a" }, "size must be a number or null"],
    ["the sentence of the issue's code", { name: "abcd", size: 1 }, "name must have at most 3 characters"],
    ["what is wrong inside a member", { name: "a", size: 1, tags: ["abc"] }, "tags must be an array of short strings"],
    ["a place in a list", { name: "a", size: 1, pairs: [{ key: "a" }, { key: 1 }] }, "pairs[1].key: must be text"],
    ["the member itself", { name: "a", size: 1, tags: ["a", "b"] }, "tags must have at most 1 entry"],
    ["what is no object", [1], "name must be text"],
    ["nothing", undefined, "name must be text"],
  ])("is refused for %s", (_what, sent, sentence) => {
    expect(refusal(sent)).toEqual(["bad_request", sentence]);
  });

  test.each([
    ["is missed before a mistake is named", { name: 5 }, "size is required"],
    ["is missed in the order of the needed ones", {}, "size is required"],
    ["may be null where the schema takes it", { size: null }, "name is required"],
    ["is missed where its text is empty", { size: 1, name: "" }, "name is required"],
    ["is missed where the schema refuses null", { size: 1, name: null }, "name is required"],
  ])("that needs a member which %s", (_what, sent, sentence) => {
    expect(refusal(sent, ["size", "name", "note"])).toEqual(["bad_request", sentence]);
  });

  test("is refused with the schema's error as the cause", () => {
    const caught = (() => {
      try {
        return parseBody({}, bodyOf());
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(caught).toMatchObject({ cause: expect.any(z.ZodError) });
  });
});
