import type { RecordedToolCall } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { renderTools } from "../../src/verdicts/render-tools.ts";
import { renderTrajectory } from "../../src/verdicts/render-trajectory.ts";
import { buildStep, buildTrajectory } from "../judge-builders.ts";

describe("a trajectory with steps", () => {
  test("numbers them in order, indents them by depth, and includes their known fields", () => {
    const steps = [
      buildStep({ name: "agent", latencyMs: 1203.4, input: "Where is it?", output: "On Tuesday." }),
      buildStep({ depth: 1, name: "plan", model: "gpt-4.1", latencyMs: 0 }),
      buildStep({ depth: 2, name: "search", input: "order 17", error: "timed out" }),
      buildStep({ depth: 1, name: "answer", input: " ", output: "" }),
    ];
    expect(renderTrajectory(buildTrajectory({ steps }))).toBe(
      [
        "1. agent (1203 ms)",
        "   input: Where is it?",
        "   output: On Tuesday.",
        "  2. plan [gpt-4.1] (0 ms)",
        "    3. search",
        "       input: order 17",
        "       FAILED: timed out",
        "  4. answer",
      ].join("\n"),
    );
  });

  test("cuts each text after 300 characters, and never within a character", () => {
    const step = (text: string) => renderTrajectory(buildTrajectory({ steps: [buildStep({ input: text })] }));
    expect(step("x".repeat(300))).toBe(`1. step\n   input: ${"x".repeat(300)}`);
    expect(step("x".repeat(301))).toBe(`1. step\n   input: ${"x".repeat(300)}...`);
    expect(step(`${"x".repeat(299)}\u{1f600}y`)).toBe(`1. step\n   input: ${"x".repeat(299)}...`);
  });

  test("marks a text as cut whose first part is mostly blanks", () => {
    const step = (text: string) => renderTrajectory(buildTrajectory({ steps: [buildStep({ input: text })] }));
    const indented = `{\n${`${" ".repeat(60)}"a": 1,\n`.repeat(50)}}`;
    expect(step(indented)).toMatch(/^1\. step\n {3}input: \{( "a": 1,)+\.\.\.$/);
    expect(step(`${"\n ".repeat(2_000)}late`)).toBe("1. step\n   input: late");
    expect(step(`early${"\n ".repeat(2_000)}`)).toBe("1. step\n   input: early");
    expect(step(`early${"\n ".repeat(2_000)}late`)).toBe("1. step\n   input: early...");
  });

  test.each([["\n"], ["\r\n"], ["\u2028"], ["\u2029"], ["\u0085"], ["\v"], ["\f"]])(
    "keeps a text with %j in it to its line, so that it cannot pass for another step",
    (lineBreak) => {
      const text = `done${lineBreak}2. refund`;
      const steps = [buildStep({ name: text, model: text, input: text, output: text, error: text })];
      expect(renderTrajectory(buildTrajectory({ steps }))).toBe(
        [
          "1. done 2. refund [done 2. refund]",
          "   input: done 2. refund",
          "   output: done 2. refund",
          "   FAILED: done 2. refund",
        ].join("\n"),
      );
    },
  );

  test("shows 40 at most and counts the rest, including those that were not sent", () => {
    const lines = (count: number, omittedSteps: number): string[] => {
      const steps = Array.from({ length: count }, () => buildStep());
      return renderTrajectory(buildTrajectory({ steps, omittedSteps }))?.split("\n") ?? [];
    };
    expect(lines(40, 0).at(-1)).toBe("40. step");
    expect(lines(40, 1).slice(-2)).toEqual(["40. step", "(1 more step omitted)"]);
    expect(lines(42, 5).slice(-2)).toEqual(["40. step", "(7 more steps omitted)"]);
  });

  test("shows the steps and not the tool calls beside them", () => {
    const trajectory = buildTrajectory({ steps: [buildStep()], toolCalls: [{ name: "search" }] });
    expect(renderTrajectory(trajectory)).toBe("1. step");
  });
});

describe("a trajectory without steps", () => {
  test.each<[text: string, call: RecordedToolCall, line: string]>([
    [
      "as a call with its output",
      { name: "search", input: { q: "x" }, output: [1, "a"] },
      'search({"q":"x"}) -> [1,"a"]',
    ],
    ["with texts as they are", { name: "search", input: "x y", output: "found\nit" }, "search(x y) -> found it"],
    ["with numbers and truth values", { name: "is", input: 0, output: false }, "is(0) -> false"],
    ["without what was not recorded", { name: "ping" }, "ping() -> (nothing)"],
    ["with a mark when it failed", { name: "pay", input: {}, success: false }, "pay({}) -> FAILED"],
    ["with the error", { name: "pay", input: {}, error: "no funds" }, "pay({}) -> FAILED: no funds"],
    ["with output and error", { name: "pay", output: "402", success: false, error: "no" }, "pay() -> 402 FAILED: no"],
    ["that succeeded without a mark", { name: "pay", output: "ok", success: true, error: null }, "pay() -> ok"],
    [
      "with long values cut",
      { name: "s", input: "x".repeat(400), output: "" },
      `s(${"x".repeat(300)}...) -> (nothing)`,
    ],
  ])("lists a tool call %s", (_, call, line) => {
    expect(renderTrajectory(buildTrajectory({ toolCalls: [call] }))).toBe(`1. ${line}`);
  });

  test("numbers them, and counts those beyond 40", () => {
    const toolCalls = Array.from({ length: 43 }, () => ({ name: "ping" }));
    const lines = renderTrajectory(buildTrajectory({ toolCalls }))?.split("\n") ?? [];
    expect(lines[1]).toBe("2. ping() -> (nothing)");
    expect(lines.slice(-2)).toEqual(["40. ping() -> (nothing)", "(3 more tool calls omitted)"]);
  });

  test("and without tool calls is nothing", () => {
    expect(renderTrajectory(buildTrajectory())).toBeNull();
  });
});

describe("the tools", () => {
  const toolDefinitions = ["search", "pay", "refund", "search"].map((name, index) => ({
    name,
    definition: `definition ${index}`,
  }));

  test("that were used are defined, the first definition of a name, and the others are named in one line", () => {
    const toolCalls = [{ name: "search" }, { name: "search" }, { name: "unknown" }];
    expect(renderTools(buildTrajectory({ toolCalls, toolDefinitions }))).toBe(
      "search: definition 0\n\nNot used: pay, refund",
    );
  });

  test("count as used when a step of kind tool bears their name, and not when another step does", () => {
    const steps = [buildStep({ kind: "tool", name: "pay" }), buildStep({ kind: "agent", name: "refund" })];
    expect(renderTools(buildTrajectory({ steps, toolDefinitions }))).toBe(
      "pay: definition 1\n\nNot used: search, refund",
    );
  });

  test("need no line when all were used, no definition when none was, and nothing when none is known", () => {
    const toolCalls = [{ name: "search" }];
    const [search] = toolDefinitions;
    expect(renderTools(buildTrajectory({ toolCalls, toolDefinitions: search ? [search] : [] }))).toBe(
      "search: definition 0",
    );
    expect(renderTools(buildTrajectory({ toolDefinitions }))).toBe("Not used: search, pay, refund");
    expect(renderTools(buildTrajectory({ toolCalls }))).toBeNull();
  });

  test("of a trace with thousands of them take a bounded place", () => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({
      name: `tool ${index}`,
      definition: "x".repeat(10_000),
    }));
    const toolCalls = many.slice(0, 1_000).map(({ name }) => ({ name }));
    const text = renderTools(buildTrajectory({ toolCalls, toolDefinitions: many })) ?? "";
    expect(text.length).toBeLessThan(200_000);
    expect(text).toContain("(960 more definitions omitted)");
    expect(text).toMatch(/tool 1099 and 1900 more$/);
  });
});
