import { describe, expect, test } from "vitest";
import { isSampled } from "../../src/model/sampling.ts";
import { choosePatterns } from "../../src/patterns/choose-patterns.ts";
import { keyOfName } from "../../src/patterns/pattern-book.ts";
import { composePatternDocument, requireRegexes } from "../../src/patterns/pattern-document.ts";
import { initialDefaults } from "../../src/profiles/profile.ts";
import { matcherAtOnce } from "../matcher-at-once.ts";

const compose = (sent: Record<string, unknown>) => composePatternDocument({ name: "p", ...sent }, null);
const made = (sent: Record<string, unknown>) =>
  compose(sent).conditions.map(({ connector, detector, value, sources }) => [connector, detector, value, ...sources]);

describe("a pattern", () => {
  test("without more than a term looks for it in the response, always, as a failure of medium severity", () => {
    expect(compose({ includeTerms: ["refund"] })).toEqual({
      name: "p",
      detectorKind: "contains",
      matchTarget: ["response"],
      matchMode: "any",
      includeTerms: ["refund"],
      excludeTerms: [],
      conditions: [
        {
          connector: "or",
          negate: false,
          sources: ["response"],
          detector: "contains",
          value: "refund",
          caseSensitive: false,
        },
      ],
      hasOwnConditions: false,
      severity: "medium",
      polarity: "failure",
      enabled: true,
      sampleRate: 1,
      scopeMode: "all",
      agentIds: [],
    });
  });

  test("of any term, of all terms, a regex, a prompt and exclusions becomes conditions", () => {
    const all = { includeTerms: ["a", "b"], excludeTerms: ["c"], regex: "d+", semanticPrompt: "e" };
    expect(made({ ...all, matchTarget: ["userMessage", "trace"] })).toEqual([
      ["or", "contains", "a", "userMessage", "trace"],
      ["or", "contains", "b", "userMessage", "trace"],
      ["or", "regex", "d+", "userMessage", "trace"],
      ["or", "semantic", "e", "userMessage", "trace"],
      ["nor", "contains", "c", "userMessage", "trace"],
    ]);
    expect(made({ ...all, matchMode: "all" }).map(([connector]) => connector)).toEqual([
      "and",
      "and",
      "and",
      "and",
      "nor",
    ]);
    expect(compose({ regex: "a" }).detectorKind).toBe("regex");
    expect(compose({ semanticPrompt: "a" }).detectorKind).toBe("semantic");
  });

  test("changes by the members that are sent; its own conditions stay until a term is sent", () => {
    const own = compose({ conditions: [{ detector: "phrase", value: "x", connector: "and" }] });
    const renamed = composePatternDocument({ name: "q", severity: "low" }, own);
    expect(renamed).toEqual({ ...own, name: "q", severity: "low" });
    const terms = composePatternDocument({ includeTerms: ["y"] }, renamed);
    expect(terms.conditions.map(({ value }) => value)).toEqual(["y"]);
    expect(composePatternDocument({ excludeTerms: ["z"] }, terms).conditions.map(({ value }) => value)).toEqual([
      "y",
      "z",
    ]);
  });

  test.each([
    [{ name: undefined }, "Pattern name is required"],
    [{ name: " " }, "Pattern name is required"],
    [{ name: 5 }, "Pattern name is required"],
    [{}, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
    [{ includeTerms: [" "] }, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
    [{ excludeTerms: ["a"] }, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
    [{ conditions: [] }, "Add at least one condition (includeTerms, regex, or semanticPrompt)"],
    [{ includeTerms: ["a"], severity: "huge" }, "severity must be one of: low, medium, high, critical"],
    [{ includeTerms: ["a"], polarity: "bad" }, "polarity must be one of: failure, proper"],
    [{ includeTerms: ["a"], sampleRate: 2 }, "sampleRate must be a number between 0 and 1"],
    [{ includeTerms: ["a"], scopeMode: "x" }, "scopeMode must be one of: all, selected"],
    [{ includeTerms: ["a"], matchTarget: ["x"] }, "matchTarget must be one or more of: response, userMessage, trace"],
    [{ includeTerms: ["a"], matchMode: "x" }, "matchMode must be one of: any, all"],
    [{ includeTerms: ["a"], detectorKind: "x" }, "detectorKind must be one of: contains, regex, semantic"],
    [{ includeTerms: "a" }, "includeTerms must be an array of strings"],
    [{ includeTerms: ["a"], enabled: 1 }, "enabled must be a boolean"],
    [{ includeTerms: ["a"], agentIds: [1] }, "agentIds must be an array of strings"],
    [{ includeTerms: ["a\0"] }, "includeTerms must be text without NUL"],
    [{ conditions: [{ value: "a" }] }, "detector must be one of: phrase, contains, regex, semantic"],
    [{ conditions: [{ detector: "contains" }] }, "Every conditions entry needs a value"],
    [{ conditions: ["a"] }, "Every conditions entry must be an object"],
    [{ conditions: {} }, "conditions must be an array"],
  ])("%j is refused: %s", (sent, sentence) => {
    expect(() => compose(sent)).toThrow(sentence);
  });

  test("whose regex cannot be used is refused, unless it has been taken already", async () => {
    const looker = { projectId: "p", matcher: matcherAtOnce };
    const sentence = "Invalid regex: error parsing regexp: missing closing ): `a(`";
    for (const sent of [{ regex: "a(" }, { conditions: [{ detector: "regex", value: "a(" }] }]) {
      await expect(requireRegexes(compose(sent), looker)).rejects.toMatchObject({
        code: "bad_request",
        message: sentence,
      });
      await requireRegexes(compose(sent), { ...looker, stored: compose(sent) });
      // The same text was a term, which nothing checked.
      const stored = compose({ includeTerms: ["a("] });
      await expect(requireRegexes(compose(sent), { ...looker, stored })).rejects.toMatchObject({ message: sentence });
    }
  });

  test.each([
    ["Angry customer!", "custom:angry-customer"],
    ["  Ärger über 2 Dinge ", "custom:arger-uber-2-dinge"],
    ["日本", "custom:pattern"],
    ["a".repeat(100), `custom:${"a".repeat(60)}`],
  ])("named %s has the key %s", (name, key) => {
    expect(keyOfName(name)).toBe(key);
  });
});

describe("the patterns a trace is due", () => {
  const pattern = (id: string, sent: Record<string, unknown> = {}) => ({
    id,
    key: `custom:${id}`,
    document: compose({ includeTerms: ["a"], ...sent }),
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  const trace = { traceId: "t1", agentId: "agent-1", monitor: null, patternIds: null };
  const defaults = { ...initialDefaults, enabledBuiltinPatterns: ["pii-in-response"] };
  const choose = (
    patterns: ReturnType<typeof pattern>[],
    more: { trace?: object; profile?: object; defaults?: object } = {},
  ) =>
    choosePatterns(
      { ...trace, ...more.trace },
      { patterns, profile: { ...more.profile }, defaults: { ...defaults, ...more.defaults } },
    );

  test("are the enabled ones with the agent in their scope, and the built-in ones", () => {
    const patterns = [
      pattern("on"),
      pattern("off", { enabled: false }),
      pattern("mine", { scopeMode: "selected", agentIds: ["agent-1"] }),
      pattern("other", { scopeMode: "selected", agentIds: ["agent-2"] }),
      pattern("never", { sampleRate: 0 }),
    ];
    expect(choose(patterns)).toEqual({ patternIds: ["on", "mine"], builtinKeys: ["pii-in-response"] });
    expect(choose(patterns, { trace: { agentId: null } }).patternIds).toEqual(["on"]);
  });

  test("are exactly those it names with monitor:true, by id or key, whatever their sample and scope", () => {
    const patterns = [
      pattern("a", { sampleRate: 0 }),
      pattern("b", { scopeMode: "selected", agentIds: ["agent-2"] }),
      pattern("c"),
      pattern("d", { enabled: false }),
    ];
    const named = { monitor: true, patternIds: ["a", "custom:b", "d", "unknown"] };
    expect(choose(patterns, { trace: named })).toEqual({ patternIds: ["a", "b"], builtinKeys: [] });
    const builtin = { monitor: true, patternIds: ["pii-in-response", "toxic-response"] };
    expect(choose(patterns, { trace: builtin })).toEqual({ patternIds: [], builtinKeys: ["pii-in-response"] });
    expect(choose(patterns, { trace: builtin, profile: { failureDetectionEnabled: false } }).builtinKeys).toEqual([]);
    // Without monitor:true names mean nothing.
    expect(choose(patterns, { trace: { patternIds: ["a"] } }).patternIds).toEqual(["c"]);
    expect(choose(patterns, { trace: { monitor: true } })).toEqual({
      patternIds: ["c"],
      builtinKeys: ["pii-in-response"],
    });
  });

  test("are none where the profile is off, and none of a polarity that is", () => {
    const patterns = [pattern("bad"), pattern("good", { polarity: "proper" })];
    expect(choose(patterns, { profile: { enabled: false } })).toEqual({ patternIds: [], builtinKeys: [] });
    expect(
      choose(patterns, { profile: { enabled: false }, trace: { monitor: true, patternIds: ["bad"] } }).patternIds,
    ).toEqual([]);
    expect(choose(patterns, { profile: { failureDetectionEnabled: false } })).toEqual({
      patternIds: ["good"],
      builtinKeys: [],
    });
    expect(choose(patterns, { profile: { infoDetectionEnabled: false } }).patternIds).toEqual(["bad"]);
  });

  test("are those of the sample alone where the project samples its coverage", () => {
    const sampled = { coverageMode: "sampled" as const };
    expect(choose([pattern("a")], { defaults: { ...sampled, sampleRate: 0 } }).patternIds).toEqual([]);
    expect(
      choose([pattern("a")], { defaults: { ...sampled, sampleRate: 0 }, profile: { sampleRate: 1 } }).patternIds,
    ).toEqual(["a"]);
    expect(choose([pattern("a")], { defaults: { coverageMode: "all", sampleRate: 0 } }).patternIds).toEqual(["a"]);
  });

  test("fall the same way for the same trace, and for about as many traces as the rate says", () => {
    const traces = Array.from({ length: 2_000 }, (_, number) => `trace ${number}`);
    const sampled = traces.filter((traceId) => isSampled(0.25, "pattern", traceId));
    expect(traces.filter((traceId) => isSampled(0.25, "pattern", traceId))).toEqual(sampled);
    expect(traces.filter((traceId) => isSampled(0.25, "another", traceId))).not.toEqual(sampled);
    expect(sampled.length).toBeGreaterThan(400);
    expect(sampled.length).toBeLessThan(600);
    expect(isSampled(1, "p", "t")).toBe(true);
    expect(isSampled(0, "p", "t")).toBe(false);
  });
});
