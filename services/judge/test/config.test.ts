import { describe, expect, test } from "vitest";
import { readJudgeConfig } from "../src/config.ts";

const base = {
  SERVICE_DB_URL: "postgres://127.0.0.1/touchstone",
  SERVICE_NATS_URL: "nats://127.0.0.1:4222",
  SERVICE_INTERNAL_SECRET: "x".repeat(32),
};
const read = (environment: Record<string, string> = {}) => readJudgeConfig({ ...base, ...environment }).config;

describe("where judges are asked", () => {
  test("without a key and without an address of the operator's own: nowhere", () => {
    expect(read().providers).toMatchObject({
      openai: { isUsable: false },
      gemini: { isUsable: false },
      anthropic: { isUsable: false },
    });
    expect(read({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }).providers.openai.isUsable).toBe(false);
    expect(read({ OPENAI_BASE_URL: "https://api.openai.com/v1" }).providers.openai.isUsable).toBe(false);
  });

  test("with a key: at OpenAI, through the Responses API", () => {
    const provider = read({ OPENAI_API_KEY: "sk-1234" }).providers.openai;
    expect(provider).toMatchObject({ baseUrl: "https://api.openai.com/v1", api: "responses" });
    expect(provider.apiKey?.reveal()).toBe("sk-1234");
  });

  test("at one of OpenAI's regional addresses it is OpenAI too; at one that only looks like it, it is not", () => {
    const at = (url: string) => read({ OPENAI_API_KEY: "sk-1234", OPENAI_BASE_URL: url }).providers.openai.api;
    expect(at("https://eu.api.openai.com/v1")).toBe("responses");
    expect(at("https://api.openai.com.example.org/v1")).toBe("chat");
    expect(at("https://notapi.openai.com/v1")).toBe("chat");
  });

  test("at an address of the operator's own: there, through Chat Completions, with or without a key", () => {
    const url = "http://127.0.0.1:11434/v1";
    expect(read({ OPENAI_BASE_URL: url }).providers.openai).toMatchObject({ baseUrl: url, apiKey: null, api: "chat" });
    expect(read({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-1" }).providers.openai.apiKey?.reveal()).toBe("sk-1");
  });

  test("SERVICE_JUDGE_API overrides the choice of the API", () => {
    expect(read({ OPENAI_API_KEY: "sk-1", SERVICE_JUDGE_API: "chat" }).providers.openai.api).toBe("chat");
    const custom = { OPENAI_BASE_URL: "http://localhost:1/v1", SERVICE_JUDGE_API: "responses" };
    expect(read(custom).providers.openai.api).toBe("responses");
  });
});

describe("Gemini and Anthropic", () => {
  test("are asked with their keys, at their endpoints, through Chat Completions", () => {
    const { gemini, anthropic } = read({ GEMINI_API_KEY: "g-1", ANTHROPIC_API_KEY: "a-1" }).providers;
    expect(gemini).toMatchObject({
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai/",
      api: "chat",
      isUsable: true,
      isOwnAddress: false,
    });
    expect(anthropic).toMatchObject({ baseUrl: "https://api.anthropic.com/v1/", api: "chat", isUsable: true });
    expect(gemini.apiKey?.reveal()).toBe("g-1");
    expect(anthropic.apiKey?.reveal()).toBe("a-1");
  });

  test("may be behind a proxy, which may ask for no key", () => {
    const { gemini, anthropic } = read({
      GEMINI_BASE_URL: "http://proxy.example/gemini",
      ANTHROPIC_BASE_URL: "https://api.anthropic.com/v1",
    }).providers;
    expect(gemini).toMatchObject({ isUsable: true, isOwnAddress: true, apiKey: null });
    expect(anthropic).toMatchObject({ isUsable: false });
  });
});

test("the quota of judge calls is a number, or none", () => {
  expect(read().callsPerDay).toBeNull();
  expect(read({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: "50" }).callsPerDay).toBe(50);
  for (const none of ["0", "-1", "plenty"]) {
    expect(read({ SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: none }).callsPerDay).toBeNull();
  }
});

test("a configuration that is printed shows no secret", () => {
  const config = read({
    OPENAI_API_KEY: "sk-canary",
    GEMINI_API_KEY: "g-canary",
    SERVICE_NATS_PASSWORD: "nats-canary",
  });
  expect(JSON.stringify({ providers: config.providers, nats: config.nats })).not.toContain("canary");
});

test("every mistake is reported at once, by variable name", () => {
  const broken = { SERVICE_JUDGE_API: "grpc", SERVICE_JUDGE_TIMEOUT_MS: "61000", SERVICE_JUDGE_CONCURRENCY: "0" };
  expect(() => read(broken)).toThrow(
    /SERVICE_JUDGE_API[\s\S]*SERVICE_JUDGE_TIMEOUT_MS[\s\S]*SERVICE_JUDGE_CONCURRENCY/,
  );
});
