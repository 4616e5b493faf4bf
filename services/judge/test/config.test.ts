import { describe, expect, test } from "vitest";
import { readJudgeConfig } from "../src/config.ts";

const base = { SERVICE_NATS_URL: "nats://127.0.0.1:4222", SERVICE_INTERNAL_SECRET: "x".repeat(32) };
const read = (environment: Record<string, string> = {}) => readJudgeConfig({ ...base, ...environment }).config;

describe("where judges are asked", () => {
  test("without a key and without an address of the operator's own: nowhere", () => {
    expect(read().provider).toBeNull();
    expect(read({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }).provider).toBeNull();
    expect(read({ OPENAI_BASE_URL: "https://api.openai.com/v1" }).provider).toBeNull();
  });

  test("with a key: at OpenAI, through the Responses API", () => {
    const { provider } = read({ OPENAI_API_KEY: "sk-1234" });
    expect(provider).toMatchObject({ baseUrl: "https://api.openai.com/v1", firstApi: "responses" });
    expect(provider?.apiKey?.reveal()).toBe("sk-1234");
  });

  test("at one of OpenAI's regional addresses it is OpenAI too; at one that only looks like it, it is not", () => {
    const at = (url: string) => read({ OPENAI_API_KEY: "sk-1234", OPENAI_BASE_URL: url }).provider?.firstApi;
    expect(at("https://eu.api.openai.com/v1")).toBe("responses");
    expect(at("https://api.openai.com.example.org/v1")).toBe("chat");
    expect(at("https://notapi.openai.com/v1")).toBe("chat");
  });

  test("at an address of the operator's own: there, through Chat Completions, with or without a key", () => {
    const url = "http://127.0.0.1:11434/v1";
    expect(read({ OPENAI_BASE_URL: url }).provider).toMatchObject({ baseUrl: url, apiKey: null, firstApi: "chat" });
    expect(read({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-1" }).provider?.apiKey?.reveal()).toBe("sk-1");
  });

  test("SERVICE_JUDGE_API overrides the choice of the API", () => {
    expect(read({ OPENAI_API_KEY: "sk-1", SERVICE_JUDGE_API: "chat" }).provider?.firstApi).toBe("chat");
    const custom = { OPENAI_BASE_URL: "http://localhost:1/v1", SERVICE_JUDGE_API: "responses" };
    expect(read(custom).provider?.firstApi).toBe("responses");
  });
});

test("a configuration that is printed shows no secret", () => {
  const config = read({ OPENAI_API_KEY: "sk-canary", SERVICE_NATS_PASSWORD: "nats-canary" });
  expect(JSON.stringify({ provider: config.provider, nats: config.nats })).not.toContain("canary");
});

test("every mistake is reported at once, by variable name", () => {
  const broken = { SERVICE_JUDGE_API: "grpc", SERVICE_JUDGE_TIMEOUT_MS: "61000", SERVICE_JUDGE_CONCURRENCY: "0" };
  expect(() => read(broken)).toThrow(
    /SERVICE_JUDGE_API[\s\S]*SERVICE_JUDGE_TIMEOUT_MS[\s\S]*SERVICE_JUDGE_CONCURRENCY/,
  );
});
