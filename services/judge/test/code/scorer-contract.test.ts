import { afterAll, describe, expect, test } from "vitest";
import { scope, setUpSandbox } from "./sandbox-setup.ts";

// The limits of production, but for the time: nothing here comes near them.
const { sandbox, score, scoreCode } = setUpSandbox({ timeoutMs: 10_000, memoryBytes: 64 * 1024 * 1024 });
afterAll(() => sandbox.stop());

describe("a scorer's return value", () => {
  test.each([
    ["a number", "return 0.5;", { score: 0.5 }],
    ["a number outside 0 to 1, which is not clamped", "return -12.5;", { score: -12.5 }],
    ["zero", "return 0;", { score: 0 }],
    [
      "a score with a reasoning",
      `return { score: 1, reasoning: "as expected" };`,
      { score: 1, reasoning: "as expected" },
    ],
    ["a score whose reasoning is no text", "return { score: 1, reasoning: 42 };", { score: 1 }],
    ["an abstention", "return { score: null };", { score: null }],
    ["an abstention with a reasoning", `return { score: null, reasoning: "n/a" };`, { score: null, reasoning: "n/a" }],
  ])("%s", async (_, code, row) => {
    expect(await score(code)).toEqual({ name: "s", ...row });
  });

  test.each([
    ["NaN", "return 0 / 0;", "Scorer returned a non-finite number"],
    ["Infinity", "return 1 / 0;", "Scorer returned a non-finite number"],
    ["a non-finite score", "return { score: -Infinity };", "Scorer returned a non-finite number"],
    ["nothing", "1 + 1;", "Scorer must return a number or { score, reasoning }"],
    ["null", "return null;", "Scorer must return a number or { score, reasoning }"],
    ["a text", `return "1";`, "Scorer must return a number or { score, reasoning }"],
    ["true", "return true;", "Scorer must return a number or { score, reasoning }"],
    ["an object without a score", "return { rating: 1 };", "Scorer must return a number or { score, reasoning }"],
    ["a score that is a text", `return { score: "1" };`, "Scorer must return a number or { score, reasoning }"],
    ["an error", `throw new TypeError("no order number");`, "no order number"],
    ["a thrown text", `throw "just a text";`, "just a text"],
    ["a thrown object", `throw { message: "with a message" };`, "with a message"],
  ])("%s has no score but an error", async (_, code, error) => {
    expect(await score(code)).toEqual({ name: "s", score: null, error });
  });

  test("code that does not parse is an error with the reason", async () => {
    const row = await score("return (;");
    expect(row).toEqual({ name: "s", score: null, error: expect.stringMatching(/unexpected token/i) });
  });
});

describe("the scope of a scorer", () => {
  test("has the texts, the recorded calls and the judges' verdicts", async () => {
    const code = `return { score: scores.judges.Facts, reasoning: JSON.stringify([input, output, expected, toolCalls, scores.rating]) };`;
    const { score: facts, reasoning } = await score(code);
    expect(facts).toBe(4);
    expect(JSON.parse(reasoning ?? "")).toEqual(["input", "output", "expected", scope.toolCalls, 7]);
  });

  test("has no toolCalls without a linked trace, no scores without judges, and null without an expected result", async () => {
    const code = "return toolCalls === undefined && scores === undefined && expected === null ? 1 : 0;";
    expect((await score(code, { toolCalls: undefined, scores: undefined, expected: null })).score).toBe(1);
    const unrated = { rating: null, judges: {} };
    expect((await score("return scores.rating === null ? 1 : 0;", { scores: unrated })).score).toBe(1);
  });

  test("has every character unchanged: NUL, halves of surrogate pairs, line separators, all of Unicode", async () => {
    const text = 'a\0b\ud800c\udfffd\u2028e"\\f\u{1f600}ü';
    const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    const code = `const codes = ${JSON.stringify(codes)}; return codes.every((code, at) => input.charCodeAt(at) === code) && input.length === codes.length ? 1 : 0;`;
    expect((await score(code, { input: text })).score).toBe(1);
  });

  test("allows every character in the code, too", async () => {
    expect((await score(`return "ü\u{1f600}".length; // \0 \u2028`)).score).toBe(3);
  });

  test("has calls of any depth that JSON allows, and with any names", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 128; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
    const toolCalls = [{ name: "t", input: JSON.parse(`{"__proto__": {"score": 1}}`), output: deep as never }];
    const code = `return Object.keys(toolCalls[0].input)[0] === "__proto__" && ({}).score === undefined ? 1 : 0;`;
    expect((await score(code, { toolCalls })).score).toBe(1);
  });

  test("has results of a few megabytes; one of over 8 MB is refused with the reason", async () => {
    const outputs = [3, 9].map((megabytes) => "ü".repeat((megabytes * 1024 * 1024) / 2));
    const rows = await Promise.all(outputs.map((output) => score("return output.length;", { output })));
    expect(rows).toEqual([
      { name: "s", score: 1.5 * 1024 * 1024 },
      { name: "s", score: null, error: "The result is too large for a code scorer" },
    ]);
  });

  test("has the engine's clock and random numbers", async () => {
    const code = "return Math.random() < 1 && Math.abs(Date.now() - Number(input)) < 60000 ? 1 : 0;";
    expect((await score(code, { input: String(Date.now()) })).score).toBe(1);
  });
});

describe("texts that leave a scorer", () => {
  test("are cut visibly after 2,000 characters, never within one", async () => {
    const { reasoning } = await score(`return { score: 1, reasoning: "x".repeat(1999) + "\u{1f600}".repeat(10) };`);
    expect(reasoning).toBe(`${"x".repeat(1999)}\ufffd... [cut after 2000 characters]`);
    expect((await score(`return { score: 1, reasoning: "y".repeat(2000) };`)).reasoning).toBe("y".repeat(2000));
  });

  test("contain no NUL and no half of a character", async () => {
    const { reasoning } = await score(`return { score: 1, reasoning: "a\\0b\\ud800c" };`);
    expect(reasoning).toBe("a\ufffdb\ufffdc");
  });
});

test("rows are in the order of the scorers, whichever finishes first, and a failing one does not affect others", async () => {
  const scorers = [
    { name: "slow", code: "for (let i = 0; i < 1e6; i++); return 1;" },
    { name: "broken", code: "throw new Error('no');" },
    { name: "same name", code: "return 3;" },
    { name: "same name", code: "return 4;" },
  ];
  const rows = await scoreCode(scorers, scope, { group: "p", signal: new AbortController().signal });
  expect(rows).toEqual([
    { name: "slow", score: 1 },
    { name: "broken", score: null, error: "no" },
    { name: "same name", score: 3 },
    { name: "same name", score: 4 },
  ]);
});
