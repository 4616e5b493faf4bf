import { costOf, type PriceChange, priceFinder } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { growTree, type TreeSpan } from "../src/assembly/tree.ts";
import { treeCost } from "../src/pricing/tree-cost.ts";

const own: PriceChange = {
  model: "house-model",
  provider: "custom",
  label: "House",
  input: 1,
  output: 10,
  cacheRead: null,
  cacheWrite: null,
  isRemoved: false,
};
const find = priceFinder([own]);
const tokens = { input: 0, output: 0, cacheRead: null, cacheWrite: null };

describe("the price of a model", () => {
  test("is found by its exact id, else without the date it ends in", () => {
    expect(find("gpt-4o-mini-2024-07-18")).toMatchObject({ model: "gpt-4o-mini" });
    expect(find("claude-haiku-4-5-20251001")).toMatchObject({ model: "claude-haiku-4-5" });
    expect(find("gpt-4o-mini-preview")).toBeNull();
    expect(find("gpt-4o")).toBeNull();
  });

  test("is the owner's own if there is one, and none if the model was removed", () => {
    const changed = priceFinder([
      { ...own, model: "gpt-5.6-sol" },
      { ...own, model: "gpt-4o-mini", isRemoved: true },
    ]);
    expect(changed("gpt-5.6-sol")?.input).toBe(1);
    expect(changed("gpt-4o-mini-2024-07-18")).toBeNull();
  });
});

describe("the cost of tokens", () => {
  test("counts each cached token once, at its own rate", () => {
    // 1,000,000 in, of which 400,000 read from and 100,000 written to the cache; 200,000 out.
    const used = { input: 1_000_000, output: 200_000, cacheRead: 400_000, cacheWrite: 100_000 };
    expect(costOf(find("claude-sonnet-5"), used)).toBeCloseTo(0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.2 * 15, 12);
  });

  test("takes the input rate for cached tokens without a rate, and never less than none", () => {
    expect(costOf(own, { input: 100, output: 0, cacheRead: 60, cacheWrite: 60 })).toBeCloseTo(120 / 1e6, 12);
  });

  test("is null without a price and without either count", () => {
    expect(costOf(null, tokens)).toBeNull();
    expect(costOf(own, { ...tokens, input: null })).toBeNull();
    expect(costOf(own, { ...tokens, output: null })).toBeNull();
    expect(costOf(own, tokens)).toBe(0);
  });
});

describe("the cost of a trace", () => {
  const used = (input: number | null, output: number | null) => [input, output, null, null, null] as const;
  function span(spanId: string, parentSpanId: string | null, changes: Partial<TreeSpan> = {}): TreeSpan {
    return {
      id: `row ${spanId}`,
      spanId,
      parentSpanId,
      parentIsRemote: false,
      isPromoted: false,
      kind: "llm",
      startedAtMs: null,
      endedAtMs: null,
      ownTokens: null,
      responseId: null,
      facts: { name: spanId },
      ...changes,
    };
  }
  const call = (spanId: string, parent: string, model: string, changes: Partial<TreeSpan> = {}) =>
    span(spanId, parent, { ownTokens: used(1_000_000, 0), facts: { name: spanId, model }, ...changes });
  const costIn = (...spans: TreeSpan[]) => treeCost(growTree(spans, []), "row root", find);

  test("prices each call by its own model", () => {
    expect(costIn(span("root", null), call("a", "root", "gpt-5.6-sol"), call("b", "root", "house-model"))).toBe(6);
  });

  test("does not add an agent's repetition of its calls, and counts the part beyond them", () => {
    const agent = (input: number) =>
      span("root", null, { kind: "agent", ownTokens: used(input, 0), facts: { name: "root", model: "house-model" } });
    const calls = [call("a", "root", "house-model"), call("b", "root", "house-model")];
    expect(costIn(agent(2_000_000), ...calls)).toBe(2);
    expect(costIn(agent(1_000_000), ...calls)).toBe(2);
    expect(costIn(agent(3_000_000), ...calls)).toBe(3);
  });

  test("does not use an agent's model to price its repetition of others' calls", () => {
    const agent = span("root", null, { ownTokens: used(2_000_000, 0), facts: { name: "root", model: "gpt-5.6-sol" } });
    const calls = [call("a", "root", "house-model"), call("b", "root", "house-model")];
    expect(costIn(agent, ...calls)).toBe(2);
  });

  test("does not price an agent without a model by another's", () => {
    const agent = span("root", null, { kind: "agent", ownTokens: used(9_000_000, 0) });
    expect(costIn(agent, call("a", "root", "house-model"))).toBe(1);
  });

  test("counts two instrumentations of one call once", () => {
    const twin = { responseId: "resp_1" };
    expect(
      costIn(span("root", null), call("a", "root", "house-model", twin), call("b", "root", "house-model", twin)),
    ).toBe(1);
    const silent = { ...twin, facts: { name: "a" } };
    expect(costIn(span("root", null), call("a", "root", "", silent), call("b", "root", "house-model", twin))).toBe(1);
  });

  test("is null when the price of one call is not known, and when nothing was used", () => {
    expect(costIn(span("root", null), call("a", "root", "house-model"), call("b", "root", "mystery"))).toBeNull();
    expect(costIn(span("root", null), span("a", "root"))).toBeNull();
  });

  test("counts an embedding, which puts nothing out", () => {
    const embedding = { kind: "embedding", ownTokens: used(1_000_000, null) };
    expect(costIn(span("root", null), call("a", "root", "house-model", embedding))).toBe(1);
  });
});
