import { describe, expect, test } from "vitest";
import { compileRegex, findRefusal, RegexRefusal } from "../../src/patterns/matching/compile-regex.ts";
import { findNestedRepeat } from "../../src/patterns/matching/find-nested-repeat.ts";

const compile = (value: string) => compileRegex({ value, caseSensitive: false });

/** Regexes that block backtracking engines, from published attacks and scanners of them. */
const attacks: readonly string[] = [
  "(a+)+$",
  "(a*)*$",
  "(a|a)*$",
  "(a|aa)+$",
  "(.*a){20}",
  "(.*a){12}$",
  "([a-zA-Z]+)*$",
  "(a|b|ab)*c$",
  "(x+x+)+y",
  "(\\w+\\s?)*$",
  "^(\\d+)*x$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "([0-9a-z]+)+@",
  "(a?){25}a{25}",
  "a*a*a*a*a*a*a*a*b",
  ".*.*.*.*=.*",
  "\\s*\\s*\\s*\\s*\\s*$",
  "\\s+$",
  "(\\s|.)*x",
  "^(.*?,){11}P",
  "(?:.*,){15}x",
  "^((a+)b?)+c",
  "(([^<]*)<)*x",
  "<(\\w+)(\\s+[^>]*)*>z",
  "(\\(.*\\))*x",
  "(\"[^\"]*\"|'[^']*')*x",
  "^(\\w|\\.|-)+@(\\w|-)+\\.\\w+z",
  "([\\w.]+)+@x",
  "(/\\*.*\\*/)*x",
  "^(?:(?:a{1,10}){1,10}){1,5}$",
  "(a{0,30}){30}b",
  "(.{0,30}){20}x",
  "(.{0,100}){10}x",
  "[^x]*[^x]*[^x]*y",
  "(a|[^b])*b{2}c",
  "(ab|a|b)+$x",
  "((ab)*)*c",
  "((((a)*)*)*)*b",
  "(?i)(A+)+z",
  "(\\d{1,3}){1,20}\\.x",
  "(\\p{L}+)*!",
  "([\\s\\S]*)*x",
  "^(-?\\d*\\.?\\d*)*e",
  "(?:a|a?)+z",
  "(a{2,})*b",
  "(foo|foo.*)+bar",
  "^.*(a.*){10}$x",
  "(0|0+)+1",
  "(;|,|\\s)*end",
  "(https?://)?([\\w-]+\\.)+[\\w-]+(/[\\w- ./?%&=]*)?x",
];

describe("a regex", () => {
  test("of 50 known attacks is refused, or done with a long text that is made for it", () => {
    expect(new Set(attacks).size).toBe(50);
    const texts = ["a".repeat(50_000), "a, ".repeat(20_000), `${"0aA-.".repeat(10_000)}!`];
    // A backtracking engine would not be done with the first of them within the life of this machine.
    for (const attack of attacks) {
      let regex: ReturnType<typeof compile> | null = null;
      try {
        regex = compile(attack);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RegexRefusal);
      }
      for (const text of texts) expect(typeof regex?.test(text)).toMatch(/boolean|undefined/);
    }
  });

  test.each([
    ["a(", "missing closing )"],
    ["[z-a]", "invalid character class range"],
    ["a{2000}", "invalid repeat count"],
    ["(?=a)b", "invalid or unsupported Perl syntax"],
    ["(?!a)b", "invalid or unsupported Perl syntax"],
    ["(?<=a)b", "invalid"],
    ["(a)\\1", "invalid escape sequence"],
    ["(a+)+", "an unbounded repeat of an unbounded repeat: `(a+)+`"],
    ["x(?:y(z*)){2,}", "an unbounded repeat of an unbounded repeat"],
    ["(?:[a-z]{0,50}){20}", "instructions"],
    [`${"a".repeat(501)}`, "at most 500 characters"],
  ])("%s is refused with the reason", (source, words) => {
    expect(
      findRefusal([
        { value: "a", caseSensitive: true },
        { value: source, caseSensitive: false },
      ]),
    ).toContain(words);
  });

  test.each(["(a+)b+", "(a{2,5})*", "[(a+)]+", "\\(a+\\)+", "\\Q(a+)+\\E", "(ab)+(cd)*", "[]+*]+", "a{2,}b{3,}"])(
    "%s repeats nothing that repeats without bound",
    (source) => {
      expect(findNestedRepeat(source)).toBeNull();
    },
  );

  test("matches anywhere, case-insensitively by default, in the first 64 Ki characters", () => {
    expect(compile("b\\d").test("aB1")).toBe(true);
    expect(compileRegex({ value: "b\\d", caseSensitive: true }).test("aB1")).toBe(false);
    expect(compile("end$").test(`${"x".repeat(64 * 1024)}end`)).toBe(false);
  });
});
