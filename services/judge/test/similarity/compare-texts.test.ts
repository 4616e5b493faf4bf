import { describe, expect, test } from "vitest";
import { ProviderFailure } from "../../src/providers/provider-failure.ts";
import { createTextComparer } from "../../src/scorers/similarity/vector/compare-texts.ts";
import type { EmbedTexts } from "../../src/scorers/similarity/vector/embed-texts.ts";
import { createTestLogger } from "../providers/judge-setup.ts";

/** Embeds the word `north` upwards and everything else as its length sideways, so that cosines are easy to see. */
function setUp(embed: EmbedTexts = async (texts) => texts.map((text) => (text === "north" ? [0, 1] : [1, 0]))) {
  const calls: (readonly string[])[] = [];
  const { logger, log } = createTestLogger();
  const compare = createTextComparer({
    embed: (texts, model, options) => {
      calls.push(texts);
      return embed(texts, model, options);
    },
    logger,
  });
  return {
    calls,
    log,
    compare: (text: string, others: string[], model: string | null = null, signal = new AbortController().signal) =>
      compare({ text, others, model }, { group: "g", signal, deadlineAtMs: Number.POSITIVE_INFINITY }),
  };
}

describe("a text compared to others", () => {
  test("is as alike to each as their embeddings, all of them made in one call, none twice", async () => {
    const { compare, calls } = setUp();
    await expect(compare("north", ["north", "east", " north ", "east"])).resolves.toEqual([1, 0, 1, 0]);
    expect(calls).toEqual([["north", "east"]]);
  });

  test("is like no blank text, and a blank text is like none, without a provider being asked about it", async () => {
    const { compare, calls } = setUp();
    await expect(compare("north", [" ", "north"])).resolves.toEqual([0, 1]);
    await expect(compare("  ", ["north"])).resolves.toEqual([0]);
    await expect(compare("north", ["", "\n"])).resolves.toEqual([0, 0]);
    await expect(compare("north", [])).resolves.toEqual([]);
    expect(calls).toEqual([["north"]]);
  });

  test("is compared by its beginning, so that a long one does not keep the others from being compared", async () => {
    const { compare, calls } = setUp();
    await compare("x".repeat(9_000), ["\u{1f600}".repeat(9_000)]);
    expect(calls[0]?.map((text) => text.length)).toEqual([8_000, 8_000]);
    expect(calls[0]?.every((text) => text.isWellFormed())).toBe(true);
  });

  test("has no answer when there is no provider, the provider fails, or the time is up; only a bug is logged", async () => {
    await expect(setUp(async () => null).compare("a", ["b"])).resolves.toBeNull();

    const failing = setUp(() => Promise.reject(new ProviderFailure("unreachable", "It is away.")));
    await expect(failing.compare("a", ["b"])).resolves.toBeNull();

    const aborted = setUp(() => Promise.reject(new Error("the time is up")));
    await expect(aborted.compare("a", ["b"], null, AbortSignal.abort())).resolves.toBeNull();
    expect(failing.log() + aborted.log()).toBe("");

    const buggy = setUp(() => Promise.reject(new TypeError("a bug")));
    await expect(buggy.compare("a", ["b"])).resolves.toBeNull();
    expect(buggy.log()).toContain("comparing texts failed unexpectedly");
  });
});

describe("the model local-hash", () => {
  test("needs no provider and brings similar spellings together", async () => {
    const { compare, calls } = setUp();
    const cosines = await compare(
      "Where is my order?",
      ["Where are my orders?", "Reset a password", "???"],
      "local-hash",
    );
    expect(calls).toEqual([]);
    expect(cosines?.[0]).toBeGreaterThan(0.75);
    expect(cosines?.[1]).toBeLessThan(0.25);
    expect(cosines?.[2]).toBe(0);
  });

  test("is aborted when its caller is gone", async () => {
    await expect(setUp().compare("a", ["b"], "local-hash", AbortSignal.abort())).resolves.toBeNull();
  });
});
