import fc from "fast-check";
import { expect, test } from "vitest";
import { joinSpeakers, readMessages } from "../../src/blocks/messages.ts";

const weather = "What is the weather in Paris?";
const call = { kind: "call", id: "c1", name: "get_weather", input: { city: "Paris" } };
const result = { kind: "result", id: "c1", name: null, output: { temperature: 18 }, error: null, latencyMs: null };

test("OpenAI's chat messages, with calls whose arguments are JSON text and their results", () => {
  const messages = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: weather }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: '{"temperature":18}' },
  ];
  const read = [
    { speaker: "system", parts: [{ kind: "text", text: "Be brief." }] },
    { speaker: "user", parts: [{ kind: "text", text: weather }] },
    { speaker: "assistant", parts: [call] },
    { speaker: "tool", parts: [result] },
  ];
  expect(readMessages(messages)).toEqual(read);
  expect(readMessages(JSON.stringify({ model: "gpt-5", messages }))).toEqual(read);
  expect(readMessages({ choices: [{ index: 0, message: messages[2] }] })).toEqual([read[2]]);
});

test("the form in which OpenTelemetry's conversations are stored", () => {
  expect(
    readMessages([
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "get_weather", arguments: { city: "Paris" } }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "think" },
          { type: "text", text: "18 °C" },
        ],
      },
    ]),
  ).toEqual([
    { speaker: "assistant", parts: [call] },
    {
      speaker: "assistant",
      parts: [
        { kind: "reasoning", text: "think" },
        { kind: "text", text: "18 °C" },
      ],
    },
  ]);
});

test("Anthropic's content blocks: a tool's result in a message of the user becomes the tool's", () => {
  const request = {
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: weather },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "c1", name: "get_weather", input: { city: "Paris" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: '{"temperature":18}' }] },
          { type: "text", text: "Well?" },
        ],
      },
    ],
  };
  expect(readMessages(request)).toEqual([
    { speaker: "system", parts: [{ kind: "text", text: "Be brief." }] },
    { speaker: "user", parts: [{ kind: "text", text: weather }] },
    { speaker: "assistant", parts: [{ kind: "reasoning", text: "hm" }, call] },
    { speaker: "tool", parts: [result] },
    { speaker: "user", parts: [{ kind: "text", text: "Well?" }] },
  ]);
});

test("a failed result of Anthropic's is an error", () => {
  const [message] =
    readMessages([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: "no such city" }] },
    ]) ?? [];
  expect(message?.parts[0]).toMatchObject({ kind: "result", error: "no such city", output: null });
});

test("Gemini's contents and candidates", () => {
  const request = {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: weather }] },
      {
        role: "model",
        parts: [{ text: "hm", thought: true }, { functionCall: { name: "get_weather", args: { city: "Paris" } } }],
      },
      { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { temperature: 18 } } }] },
    ],
  };
  expect(readMessages(request)).toEqual([
    { speaker: "system", parts: [{ kind: "text", text: "Be brief." }] },
    { speaker: "user", parts: [{ kind: "text", text: weather }] },
    {
      speaker: "assistant",
      parts: [
        { kind: "reasoning", text: "hm" },
        { ...call, id: null },
      ],
    },
    { speaker: "tool", parts: [{ ...result, id: null, name: "get_weather" }] },
  ]);
  expect(readMessages({ candidates: [{ content: { role: "model", parts: [{ text: "18 °C" }] } }] })).toEqual([
    { speaker: "assistant", parts: [{ kind: "text", text: "18 °C" }] },
  ]);
});

test("parts of OpenTelemetry's gen_ai.input.messages", () => {
  const messages = [
    { role: "user", parts: [{ type: "text", content: weather }] },
    { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "get_weather", arguments: { city: "Paris" } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { temperature: 18 } }] },
  ];
  expect(readMessages(JSON.stringify(messages))).toEqual([
    { speaker: "user", parts: [{ kind: "text", text: weather }] },
    { speaker: "assistant", parts: [call] },
    { speaker: "tool", parts: [result] },
  ]);
});

test("items of OpenAI's Responses API", () => {
  const request = {
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text: weather }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
      { type: "function_call", call_id: "c1", name: "get_weather", arguments: '{"city":"Paris"}' },
      { type: "function_call_output", call_id: "c1", output: '{"temperature":18}' },
    ],
  };
  expect(readMessages(request)).toEqual([
    { speaker: "system", parts: [{ kind: "text", text: "Be brief." }] },
    { speaker: "user", parts: [{ kind: "text", text: weather }] },
    { speaker: "assistant", parts: [{ kind: "reasoning", text: "hm" }] },
    { speaker: "assistant", parts: [call] },
    { speaker: "tool", parts: [result] },
  ]);
});

test("parts of the AI SDK", () => {
  const messages = [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "get_weather", input: { city: "Paris" } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "get_weather",
          output: { type: "json", value: { temperature: 18 } },
        },
      ],
    },
  ];
  expect(readMessages(messages)).toEqual([
    { speaker: "assistant", parts: [call] },
    { speaker: "tool", parts: [{ ...result, name: "get_weather" }] },
  ]);
});

test("images are shown only as image data; for others the location is shown", () => {
  const url = "data:image/png;base64,AAAA";
  const parts = [
    { type: "image_url", image_url: { url } },
    { type: "image_url", image_url: { url: "https://tracker.test/pixel.png" } },
    { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } },
    { inlineData: { mimeType: "image/webp", data: "AAAA" } },
    { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "AAAA" } },
    { type: "uri", modality: "image", uri: "gs://bucket/a.png" },
  ];
  const [message] = readMessages([{ role: "user", content: parts }]) ?? [];
  expect(message?.parts).toEqual([
    { kind: "image", url, description: "image" },
    { kind: "image", url: null, description: "image, not loaded: https://tracker.test/pixel.png" },
    { kind: "image", url: "data:image/jpeg;base64,AAAA", description: "image/jpeg" },
    { kind: "image", url: "data:image/webp;base64,AAAA", description: "image/webp" },
    { kind: "image", url: null, description: "image/svg+xml, of a kind or size that is not shown" },
    { kind: "image", url: null, description: "image, not loaded: gs://bucket/a.png" },
  ]);
});

test("what is no conversation is none", () => {
  for (const value of [
    null,
    undefined,
    5,
    "",
    "Hello",
    "{not json",
    [],
    {},
    { city: "Paris" },
    [{ id: 1 }],
    [{ role: "admin", content: "x" }],
    ["a"],
  ]) {
    expect(readMessages(value)).toBeNull();
  }
});

test("any JSON is read without a mistake", () => {
  const messages = fc.array(
    fc.record(
      { role: fc.constantFrom("user", "assistant", "tool", "x"), content: fc.jsonValue(), parts: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), messages), (value) => {
      for (const { speaker, parts } of readMessages(value) ?? []) {
        expect(speaker).toMatch(/^(system|user|assistant|tool)$/);
        for (const part of parts) if (part.kind === "text") expect(typeof part.text).toBe("string");
      }
    }),
  );
});

test("what an assistant says in several messages after each other is one; what others say is not", () => {
  const said = (speaker: "assistant" | "user", text: string) => ({ speaker, parts: [{ kind: "text" as const, text }] });
  const joined = joinSpeakers([said("user", "a"), said("user", "b"), said("assistant", "c"), said("assistant", "d")]);
  expect(joined.map(({ parts }) => parts.length)).toEqual([1, 1, 2]);
});
