import { describe, expect, test } from "vitest";
import { bodyOfRule, describeRule, draftOfRule, emptyRule, missingOfRule } from "../../src/agents/alert-rule-draft.ts";
import {
  bodyOfPattern,
  describePattern,
  draftOfPattern,
  emptyCondition,
  emptyPattern,
  enabledAfter,
  missingOfPattern,
  withCondition,
} from "../../src/agents/pattern-draft.ts";
import { bodyOfProfile, changesBeside, draftOfProfile, mistakesOfProfile } from "../../src/agents/profile-draft.ts";
import { formatMinutes } from "../../src/agents/rules.ts";
import { bodyOfWebhook, emptyWebhook, missingOfWebhook } from "../../src/agents/webhook-draft.ts";

describe("a pattern", () => {
  const conditions = [
    { ...emptyCondition, value: "refund" },
    { ...emptyCondition, connector: "nor" as const, sources: ["userMessage" as const], value: "test", negate: true },
  ];

  test("says what it matches", () =>
    expect(describePattern({ conditions })).toBe(
      'when the answer contains "refund" unless the question does not contain "test"',
    ));

  test("sends its conditions only when they changed", () => {
    const stored = { ...emptyPattern, name: "Refunds", conditions };
    expect(bodyOfPattern({ ...stored, name: " Money " }, stored)).not.toHaveProperty("conditions");
    expect(bodyOfPattern({ ...stored, name: " Money " }, stored).name).toBe("Money");
    expect(bodyOfPattern(withCondition(stored, 1, null), stored)).toMatchObject({ conditions: [conditions[0]] });
    expect(bodyOfPattern(stored, null)).toMatchObject({ conditions, scopeMode: "all", agentIds: [] });
    expect(bodyOfPattern({ ...stored, agentIds: ["a"] }, null)).toMatchObject({ scopeMode: "selected" });
  });

  test("cannot be saved without a text or a name", () => {
    expect(missingOfPattern(emptyPattern)).toBe("A condition has no text yet.");
    expect(missingOfPattern({ ...emptyPattern, conditions })).toBe("Give it a name.");
    expect(missingOfPattern({ ...emptyPattern, conditions, name: "Refunds" })).toBeUndefined();
  });

  test("keeps a share below one percent, and sends none beyond a hundred", () => {
    const stored = { sampleRate: 0.005, agentIds: [], conditions } as unknown as Parameters<typeof draftOfPattern>[0];
    const draft = { ...draftOfPattern(stored), name: "Refunds", description: "" };
    expect(draft.samplePercent).toBe("0.5");
    expect(bodyOfPattern(draft, null).sampleRate).toBe(0.005);
    expect(missingOfPattern({ ...draft, samplePercent: "101" })).toBe("A share is between 0 and 100 percent.");
    expect(missingOfPattern({ ...draft, samplePercent: "" })).toBe("A share is between 0 and 100 percent.");
  });

  test("of all agents forgets those that it was once limited to", () => {
    const stored = { scopeMode: "all", agentIds: ["a"], conditions } as unknown as Parameters<typeof draftOfPattern>[0];
    expect(draftOfPattern(stored).agentIds).toEqual([]);
  });

  test("that is built in is switched without the others", () => {
    const patterns = [
      { key: "refusal", source: "builtIn", enabled: true },
      { key: "loop", source: "builtIn", enabled: false },
      { key: "empty", source: "builtIn", enabled: true },
      { key: "refunds", source: "custom", enabled: true },
    ] as unknown as Parameters<typeof enabledAfter>[0];
    expect(enabledAfter(patterns, "refusal", false)).toEqual(["empty"]);
    expect(enabledAfter(patterns, "loop", true)).toEqual(["refusal", "empty", "loop"]);
    expect(enabledAfter(patterns, "refusal", true)).toEqual(["empty", "refusal"]);
  });
});

describe("an alert rule", () => {
  const rule = {
    _id: "1",
    name: "Slow",
    metric: "p95LatencyMs" as const,
    comparison: "above" as const,
    threshold: 30_000,
    windowMinutes: 90,
    cooldownMinutes: 60,
    minSamples: 10,
    agentId: null,
    severity: "high" as const,
    enabled: true,
    lastFiredAt: null,
    createdAt: "2026-11-20T00:00:00.000Z",
    updatedAt: "2026-11-20T00:00:00.000Z",
  };

  test("is written in the unit that people use and sent in the API's", () => {
    expect(draftOfRule(rule).threshold).toBe("30");
    expect(bodyOfRule(draftOfRule(rule))).toMatchObject({ threshold: 30_000, windowMinutes: 90, agentId: null });
    const share = draftOfRule({ ...rule, metric: "failureRate", threshold: 0.07 });
    expect(share.threshold).toBe("7");
    expect(bodyOfRule(share).threshold).toBe(0.07);
  });

  test("says what it measures", () => {
    expect(describeRule(rule)).toBe("Latency, p95 above 30.0 s within 90 min");
    expect(describeRule({ ...rule, metric: "failureRate", threshold: 0.15, windowMinutes: 1_440 })).toBe(
      "Failing traces above 15% within 1 d",
    );
  });

  test("cannot be saved without its numbers", () => {
    expect(missingOfRule(emptyRule)).toBe("Give it a name.");
    expect(missingOfRule({ ...emptyRule, name: "Slow", threshold: "x" })).toBe("A number is missing.");
    expect(missingOfRule({ ...emptyRule, name: "Slow" })).toBeUndefined();
  });
});

describe("a webhook", () => {
  test("needs an address and an event", () => {
    expect(missingOfWebhook(emptyWebhook)).toMatch(/https/);
    const named = { ...emptyWebhook, url: " https://example.com/hook " };
    expect(missingOfWebhook(named)).toBeUndefined();
    expect(missingOfWebhook({ ...named, events: [] })).toBe("Choose at least one event.");
    expect(bodyOfWebhook(named)).toMatchObject({ url: "https://example.com/hook", description: null });
  });
});

describe("how an agent is watched", () => {
  test("is everything for an agent without settings", () =>
    expect(draftOfProfile(null)).toEqual({
      enabled: true,
      failureDetectionEnabled: true,
      infoDetectionEnabled: true,
      samplePercent: "100",
      channels: "",
    }));

  test("is saved without what was not changed, which may follow the project's defaults", () => {
    const stored = draftOfProfile(null);
    expect(bodyOfProfile({ ...stored, channels: "webhook:https://a.example" }, stored)).toEqual({
      channels: ["webhook:https://a.example"],
    });
    expect(bodyOfProfile({ ...stored, samplePercent: "12.5", enabled: false }, stored)).toEqual({
      enabled: false,
      sampleRate: 0.125,
    });
  });

  test("is changed by its user only where it differs from what is stored or was sent", () => {
    const stored = draftOfProfile(null);
    const changes = { enabled: true, channels: "webhook:https://a.example" };
    expect(changesBeside(changes, stored)).toEqual({ channels: "webhook:https://a.example" });
    expect(changesBeside(changes, { ...stored, ...changes })).toEqual({});
  });

  test("names the field that cannot be saved", () => {
    const draft = draftOfProfile(null);
    expect(mistakesOfProfile({ ...draft, samplePercent: "101" })).toHaveProperty("percent");
    expect(mistakesOfProfile({ ...draft, channels: "webhook:https://a.example\n\nmail:x" })).toEqual({
      channels: "mail:x is no channel: write webhook: and an address.",
    });
    expect(mistakesOfProfile(draft)).toEqual({});
  });
});

test.each([
  [1, "1 min"],
  [90, "90 min"],
  [120, "2 h"],
  [1_440, "1 d"],
])("%i minutes are %s", (minutes, words) => expect(formatMinutes(minutes)).toBe(words));
