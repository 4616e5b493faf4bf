import { hashLlmKey, type LlmReply, type LlmScript, type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readTokens } from "../../src/providers/wire-apis.ts";
import { setUpJudge, testKey } from "./judge-setup.ts";

let llm: ScriptedLlm;

beforeAll(async () => {
  llm = await startScriptedLlm();
});
beforeEach(() => llm.reset());
afterAll(() => llm.stop());

const verdict: LlmReply = { kind: "verdict", rating: 8, justification: "Good." };
const scored = { status: "scored", rating: 8, justification: "Good.", reason: null };
const asked = () => llm.requests.map((request) => request.api);

describe("OpenAI's own API", () => {
  test("is asked through the Responses API, with a schema, and asked not to keep anything", async () => {
    llm.answerWith(verdict);

    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ ...scored, model: "gpt-5.6-luna" });

    expect(asked()).toEqual(["responses"]);
    expect(llm.requests[0]?.keyHash).toBe(hashLlmKey(testKey));
    expect(llm.requests[0]?.body).toMatchObject({
      model: "gpt-5.6-luna",
      store: false,
      instructions: expect.stringContaining("You grade the answers"),
      input: expect.stringContaining("It arrives on Tuesday."),
      text: {
        format: {
          type: "json_schema",
          name: "verdict",
          strict: true,
          schema: { required: ["justification", "rating"], additionalProperties: false },
        },
      },
    });
  });

  test("is sent only the headers a call needs", async () => {
    await setUpJudge(llm).judge();
    const names = Object.keys(llm.requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-") || name.startsWith("openai-"))).toEqual([]);
  });

  test("is sent temperature 0, except by models whose id starts with gpt-5", async () => {
    const { judge } = setUpJudge(llm);
    await judge({}, { model: "gpt-4.1" });
    await judge({}, { model: "gpt-5" });
    await judge({}, { model: "gpt-5.6-luna" });
    expect(llm.requests.map((request) => (request.body as { temperature?: number }).temperature)).toEqual([
      0,
      undefined,
      undefined,
    ]);
  });

  test("may answer with a top-level output_text", async () => {
    llm.answerWith({ kind: "raw", body: JSON.stringify({ output_text: '{"rating": 3}', output: [] }) });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({ rating: 3 });
  });
});

describe("an OpenAI-compatible endpoint", () => {
  test("is asked through Chat Completions with a schema, and needs no key", async () => {
    llm.answerWith(verdict);

    await expect(setUpJudge(llm, { firstApi: "chat", apiKey: null }).judge()).resolves.toMatchObject(scored);

    expect(asked()).toEqual(["chat"]);
    expect(llm.requests[0]?.keyHash).toBe(hashLlmKey("not-required"));
    expect(llm.requests[0]?.body).toMatchObject({
      messages: [{ role: "system" }, { role: "user" }],
      response_format: { type: "json_schema", json_schema: { name: "verdict", strict: true } },
    });
  });

  test("may answer in content parts", async () => {
    const content = [
      { type: "text", text: '{"rating"' },
      { type: "text", text: ": 3}" },
    ];
    llm.answerWith({ kind: "raw", body: JSON.stringify({ choices: [{ message: { content } }] }) });
    await expect(setUpJudge(llm, { firstApi: "chat" }).judge()).resolves.toMatchObject({ rating: 3 });
  });

  test("may label its JSON as plain text", async () => {
    const body = JSON.stringify({ choices: [{ message: { content: '{"rating": 3}' } }] });
    llm.answerWith({ kind: "raw", body, contentType: "text/plain" });
    await expect(setUpJudge(llm, { firstApi: "chat" }).judge()).resolves.toMatchObject({ rating: 3 });
  });
});

describe("an endpoint without the Responses API", () => {
  test.each([404, 405, 501])("that answers %d is asked through Chat Completions from then on", async (status) => {
    llm.answerWith(({ api }) => (api === "responses" ? { kind: "status", status } : verdict));
    const { judge } = setUpJudge(llm);

    await expect(judge()).resolves.toMatchObject(scored);
    await expect(judge({}, { model: "another-model" })).resolves.toMatchObject(scored);

    expect(asked()).toEqual(["responses", "chat", "chat"]);
  });

  test("is not suspected when only the model is unknown", async () => {
    llm.answerWith({ kind: "status", status: 404, code: "model_not_found" });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
      status: "skipped",
      reason: "provider_error",
      justification: "The judge provider refused the request (HTTP 404, model_not_found).",
    });
    expect(asked()).toEqual(["responses"]);
  });

  test("is not remembered when Chat Completions is missing too", async () => {
    llm.answerWith({ kind: "status", status: 404 });
    const { judge } = setUpJudge(llm);
    await expect(judge()).resolves.toMatchObject({ reason: "provider_error" });
    llm.answerWith(verdict);
    await expect(judge()).resolves.toMatchObject(scored);
    expect(asked()).toEqual(["responses", "chat", "responses"]);
  });
});

describe("an endpoint that refuses", () => {
  const formatOf = (body: unknown): string => {
    const { response_format, text } = body as {
      response_format?: { type: string };
      text?: { format: { type: string } };
    };
    return response_format?.type ?? text?.format.type ?? "none";
  };
  const formats = () => llm.requests.map((request) => formatOf(request.body));
  const refusing =
    (refused: string[], status = 400): LlmScript =>
    ({ body }) =>
      refused.includes(formatOf(body))
        ? { kind: "status", status, message: "response_format is not supported" }
        : verdict;

  test("schemas is asked in JSON mode from then on, for that model", async () => {
    llm.answerWith(refusing(["json_schema"]));
    const { judge } = setUpJudge(llm, { firstApi: "chat" });

    await expect(judge()).resolves.toMatchObject(scored);
    await expect(judge()).resolves.toMatchObject(scored);
    await judge({}, { model: "another-model" });

    expect(formats()).toEqual(["json_schema", "json_object", "json_object", "json_schema", "json_object"]);
  });

  test("schemas and JSON mode is asked for plain text, and read all the same", async () => {
    llm.answerWith(refusing(["json_schema", "json_object"], 422));
    const { judge } = setUpJudge(llm, { firstApi: "chat" });
    await expect(judge()).resolves.toMatchObject(scored);
    expect(formats()).toEqual(["json_schema", "json_object", "none"]);
  });

  test("schemas on the Responses API is asked in JSON mode there", async () => {
    llm.answerWith(refusing(["json_schema"]));
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject(scored);
    expect(formats()).toEqual(["json_schema", "json_object"]);
  });

  test("a temperature is asked without one from then on", async () => {
    llm.answerWith(({ body }) =>
      (body as { temperature?: number }).temperature === undefined
        ? verdict
        : { kind: "status", status: 400, param: "temperature", code: "unsupported_parameter" },
    );
    const { judge } = setUpJudge(llm);
    await judge({}, { model: "o4-mini" });
    await expect(judge({}, { model: "o4-mini" })).resolves.toMatchObject(scored);
    expect(llm.requests.map((request) => (request.body as { temperature?: number }).temperature)).toEqual([
      0,
      undefined,
      undefined,
    ]);
    expect(formats()).toEqual(["json_schema", "json_schema", "json_schema"]);
  });

  test("every shape is reported by its first refusal, and nothing is remembered", async () => {
    llm.answerWith({ kind: "status", status: 400, code: "invalid_value" });
    const { judge } = setUpJudge(llm);
    await expect(judge()).resolves.toMatchObject({
      reason: "provider_error",
      justification: "The judge provider refused the request (HTTP 400, invalid_value).",
    });
    llm.answerWith(verdict);
    await judge();
    expect(formats().at(-1)).toBe("json_schema");
  });

  test("a prompt that is too long is reported at once", async () => {
    llm.answerWith({ kind: "status", status: 400, code: "context_length_exceeded" });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
      status: "skipped",
      reason: "too_large",
      justification: "The result is too large for the judge model (HTTP 400, context_length_exceeded).",
    });
    expect(llm.requests).toHaveLength(1);
  });

  test.each([
    "prompt is too long: 207791 tokens > 200000 maximum",
    "This model's maximum context length is 65536 tokens. However, you requested 70001 tokens.",
    "This model's maximum prompt length is 131072 but the request contains 173000 tokens.",
    "the request exceeds the available context size, try increasing it",
    "The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
  ])("a prompt that is too long is reported at once, if only the message says so: %s", async (message) => {
    for (const [at, status] of [400, 422].entries()) {
      llm.answerWith({ kind: "status", status, message });
      await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
        reason: "too_large",
        justification: `The result is too large for the judge model (HTTP ${status}).`,
      });
      expect(llm.requests).toHaveLength(at + 1);
    }
  });

  test("a request and repeats a long prompt about context windows is not mistaken for one about a long prompt", async () => {
    const message = `invalid request: ${"x".repeat(1_000)} maximum context length, invalid api key`;
    llm.answerWith({ kind: "status", status: 400, message });
    await expect(setUpJudge(llm).judge()).resolves.toMatchObject({
      justification: "The judge provider refused the request (HTTP 400).",
    });
  });
});

describe("the output tokens of an answer", () => {
  const details = { completion_tokens_details: { reasoning_tokens: 94 } };
  test.each([
    ["include those that only the total has", { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 }, 103],
    ["are what was said when the total agrees", { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }, 20],
    ["are not fewer because of a small total", { input_tokens: 100, output_tokens: 20, total_tokens: 20 }, 20],
    ["are what was said without a total", { input_tokens: 100, output_tokens: 20 }, 20],
    ["are unknown when only the total is said", { total_tokens: 120 }, null],
  ])("%s", (_, usage, output) => {
    expect(readTokens({ usage: { ...usage, ...details } }).output).toBe(output);
  });
});
