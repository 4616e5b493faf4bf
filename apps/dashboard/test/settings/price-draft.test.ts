import { expect, test } from "vitest";
import { bodyOfDraft, draftErrors, draftOf, emptyDraft, readPrice } from "../../src/settings/price-draft.ts";

test("a price is read with or without its sign, and what is no price is none", () => {
  expect([" 3 ", "$0.15", "0,5", "0"].map(readPrice)).toEqual([3, 0.15, 0.5, 0]);
  expect(["", " ", "-1", "three", "1.000,5", "Infinity"].map(readPrice)).toEqual([null, null, null, null, null, null]);
});

test("a new model belongs to the provider that its name is called at", () => {
  expect(emptyDraft("claude-next").provider).toBe("anthropic");
  expect(emptyDraft("gemini-next").provider).toBe("gemini");
  expect(emptyDraft("qwen3").provider).toBe("openai");
});

test("empty cache prices are null, which costs what other tokens do", () => {
  const draft = { ...emptyDraft("gpt-x"), input: "1", output: "2" };
  expect(draftErrors(draft)).toEqual({});
  expect(bodyOfDraft(draft)).toEqual({
    provider: "openai",
    label: "gpt-x",
    pricePerMInputTokens: 1,
    pricePerMOutputTokens: 2,
    pricePerMCacheReadTokens: null,
    pricePerMCacheWriteTokens: null,
  });
});

test("an own endpoint needs its address, and a blank key keeps the stored one", () => {
  const draft = { ...emptyDraft("qwen3"), provider: "custom" as const, input: "0", output: "0" };
  expect(draftErrors(draft)).toEqual({ baseUrl: "Give the endpoint's address." });
  expect(bodyOfDraft({ ...draft, baseUrl: " https://models.example/v1 " })).not.toHaveProperty("apiKey");
  expect(bodyOfDraft({ ...draft, baseUrl: "https://models.example/v1", apiKey: "k" })).toMatchObject({ apiKey: "k" });
});

test("an untouched stored model is sent back unchanged", () => {
  const model = {
    id: "claude-sonnet-5",
    provider: "anthropic" as const,
    label: "Claude Sonnet 5",
    pricePerMInputTokens: 3,
    pricePerMOutputTokens: 15,
    pricePerMCacheReadTokens: 0.3,
    pricePerMCacheWriteTokens: null,
    isDefault: true,
    baseUrl: null,
    apiKeyMasked: null,
  };
  expect(model).toMatchObject(bodyOfDraft(draftOf(model)));
});
