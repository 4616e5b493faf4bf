import { describe, expect, test } from "vitest";
import { readJudgeConfig } from "../../src/config.ts";
import { chooseProvider, type ProviderName } from "../../src/providers/choose-provider.ts";

const ownUrl = { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" };
const ollama = "gemini-like-but-local";

function providersOf(environment: Record<string, string>) {
  const { config } = readJudgeConfig({
    SERVICE_DB_URL: "postgres://127.0.0.1/touchstone",
    SERVICE_NATS_URL: "nats://127.0.0.1:4222",
    SERVICE_INTERNAL_SECRET: "x".repeat(32),
    ...environment,
  });
  return config.providers;
}

describe("a model is asked where its id says", () => {
  test.for<[string, Record<string, string>, ProviderName]>([
    ["gemini-2.5-pro", {}, "gemini"],
    ["claude-sonnet-5", {}, "anthropic"],
    ["gpt-5.6-luna", {}, "openai"],
    ["models/gemini-2.5-pro", {}, "openai"],
    ["my-claude-3", {}, "openai"],
    ["gemini-2.5-pro", { GEMINI_API_KEY: "g", ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o" }, "gemini"],
    // An endpoint of the operator's own, and nothing else: it serves whatever it calls its models.
    [ollama, ownUrl, "openai"],
    ["claude-sonnet-5", ownUrl, "openai"],
    ["claude-sonnet-5", { ...ownUrl, OPENAI_API_KEY: "o" }, "openai"],
    ["claude-sonnet-5", { ...ownUrl, ANTHROPIC_API_KEY: "a" }, "anthropic"],
    [ollama, { ...ownUrl, ANTHROPIC_API_KEY: "a" }, "gemini"],
    ["llama3", { ...ownUrl, ANTHROPIC_API_KEY: "a" }, "openai"],
    ["claude-sonnet-5", { OPENAI_API_KEY: "o" }, "anthropic"],
  ])("%s with %o: %s", ([model, environment, expected]) => {
    expect(chooseProvider(model, providersOf(environment))).toBe(expected);
  });
});
