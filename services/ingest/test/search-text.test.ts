import { limits } from "@touchstone/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readableText } from "../src/search/readable-text.ts";
import { searchPattern } from "../src/search/search-pattern.ts";
import { type SearchedFields, searchText } from "../src/search/search-text.ts";

const fields = (changes: Partial<SearchedFields> = {}): SearchedFields => ({
  id: "019aa000-0000-7000-8000-000000000001",
  name: "agent",
  input: null,
  output: null,
  error: null,
  model: null,
  sessionId: null,
  otelTraceId: null,
  ...changes,
});

describe("the searched part of a JSON text", () => {
  test.each([
    ['"Hello \\"Ann\\""', 'Hello "Ann"'],
    ['"caf\\u00e9 \\ud83d\\ude00\\n"', "café 😀\n"],
    ['"ends in a backslash \\\\"', "ends in a backslash \\"],
    ["-1.50e400", "-1.50e400"],
    ['{"a":{"b":[1,true,null,"x"]},"c":"d"}', "a\nb\n1\ntrue\nnull\nx\nc\nd"],
    ["[]", ""],
    ['{"a":{}}', "a"],
    ['""', ""],
  ])("%s", (json, text) => {
    expect(readableText(json, 1000)).toBe(text);
  });

  test("every string and every member name of any value is in it, decoded", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = readableText(JSON.stringify(value), Number.POSITIVE_INFINITY);
        JSON.stringify(value, function (this: unknown, name, leaf) {
          if (!Array.isArray(this)) expect(text).toContain(name);
          if (typeof leaf === "string") expect(text).toContain(leaf);
          return leaf;
        });
      }),
    );
  });

  test("it is never longer than asked for", () => {
    const json = JSON.stringify(Array.from({ length: 1000 }, (_, index) => `line ${index}`));
    expect(readableText(json, 100)).toHaveLength(100);
  });
});

describe("the searched text of a root", () => {
  test("every field is in it in lower case, both ids included", () => {
    const text = searchText(
      fields({
        name: "Weather",
        input: '{"City":"Zürich"}',
        output: '"Ça VA"',
        error: "TIMEOUT",
        model: "GPT-5",
        sessionId: "S1",
        otelTraceId: "a".repeat(32),
      }),
    );
    for (const part of ["weather", "city", "zürich", "ça va", "timeout", "gpt-5", "s1", "a".repeat(32), fields().id]) {
      expect(text).toContain(part);
    }
  });

  test("it is bounded, and a long input leaves the output its half", () => {
    const long = JSON.stringify("i".repeat(1_000_000));
    const text = searchText(fields({ error: "e".repeat(1_000_000), input: long, output: long.replaceAll("i", "o") }));

    expect(text.length).toBeLessThanOrEqual(limits.searchDocMaxChars);
    const count = (letter: string): number => text.split(letter).length - 1;
    expect(count("o")).toBeGreaterThan(limits.searchDocMaxChars / 4);
    expect(count("i")).toBeGreaterThan(limits.searchDocMaxChars / 4);
  });

  test("what PostgreSQL's text cannot hold is not in it", () => {
    expect(searchText(fields({ input: '"a\\u0000b\\ud800c"' }))).toContain("ab\ufffdc");
  });
});

describe("a search term", () => {
  test("matches literally, whatever its characters mean to LIKE", () => {
    expect(searchPattern("50%_\\")).toBe("%50\\%\\_\\\\%");
  });

  test("is compared like the text: any case, any sigma", () => {
    expect(searchPattern("ΟΔΟΣ")).toBe("%οδοσ%");
    expect(searchText(fields({ name: "ΟΔΟΣ" }))).toContain("οδοσ");
  });

  test("is cut at 200 characters, never within one", () => {
    expect(searchPattern("😀".repeat(300))).toBe(`%${"😀".repeat(200)}%`);
    expect(searchPattern("x".repeat(201))).toBe(`%${"x".repeat(200)}%`);
  });

  test("is none when there is nothing in it", () => {
    expect([searchPattern(null), searchPattern(""), searchPattern("\0")]).toEqual([null, null, null]);
  });
});
