import { describe, expect, test } from "vitest";
import type { IncomingSpan } from "../../src/model/span.ts";
import { decodeFixture, readableRow, readFixture } from "./corpus.ts";

interface Convention {
  file: string;
  expect: { kinds?: string[]; root?: Record<string, unknown> };
}

const { files }: { files: Convention[] } = JSON.parse(readFixture("_conventions/manifest.json").toString());

/**
 * Expectations of the manifest that no single span satisfies: sums over descendants, their tool calls, input and output
 * borrowed from them. They concern the trace; the row of the span itself must leave them open.
 */
const ofTheTrace: Record<string, readonly string[]> = {
  "openllmetry-indexed.json": ["inputTokens", "outputTokens", "cacheReadTokens", "toolCalls"],
  "semconv-1.41-structured.json": ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "toolCalls"],
  "semconv-genai-latest.json": ["inputTokens", "outputTokens", "cacheWriteTokens", "output"],
  "litellm-legacy.json": ["inputTokens", "outputTokens"],
  "genkit.json": ["inputTokens", "outputTokens"],
  "plain-http-autoinstrumentation.json": ["agentName", "input", "output"],
};

/** The manifest names the unwrapped argument by where it comes from. */
const spelled: Record<string, unknown> = { args: "What is the weather in Paris?" };

describe.each(files)("$file", ({ file, expect: expected }) => {
  test("is stored without a rejection", async () => {
    expect(await decodeFixture(`_conventions/${file}`)).toMatchObject({ rejected: 0, message: null });
  });

  test("gives the root what its own span says, and nothing that only its trace knows", async () => {
    const { spans } = await decodeFixture(`_conventions/${file}`);
    const row = readableRow(spans.find(({ parentSpanId }) => parentSpanId === null) as IncomingSpan);

    for (const [field, value] of Object.entries(expected.root ?? {})) {
      const own = ofTheTrace[file]?.includes(field) ? null : (spelled[String(value)] ?? value);
      expect(row[field], field).toEqual(own);
    }
  });
});

test.each(files.filter(({ expect: { kinds } }) => kinds !== undefined))(
  "$file gives every span its kind",
  async ({ file, expect: expected }) => {
    const { spans } = await decodeFixture(`_conventions/${file}`);
    expect(spans.map(({ kind }) => kind)).toEqual(expected.kinds);
  },
);

describe("single spans of the conventions", () => {
  test("indexed OpenLLMetry prompts become messages in the order of their indices", async () => {
    const row = await rowOf("openllmetry-indexed.json", "openai.chat");
    expect(row).toMatchObject({
      model: "gpt-4o-2024-08-06",
      inputTokens: 120,
      outputTokens: 24,
      cacheReadTokens: 64,
      input: [
        { role: "system", content: "You are a weather assistant." },
        { role: "user", content: "What is the weather in Paris?" },
      ],
      output: {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", name: "get_weather", arguments: { city: "Paris" } }],
      },
    });
  });

  test("structured attribute values map like the same values in JSON text", async () => {
    const tool = await rowOf("semconv-1.41-structured.json", "execute_tool get_weather");
    expect(tool).toMatchObject({ input: { city: "Paris" }, output: { temperature: 18 } });
    const chat = await rowOf("semconv-1.41-structured.json", "chat gpt-5");
    expect(chat).toMatchObject({ inputTokens: 120, cacheReadTokens: 64, cacheWriteTokens: 10 });
    expect(chat.input).toEqual([{ role: "system", content: "You are a weather assistant." }]);
    expect(chat.metadata).toMatchObject({
      reasoningTokens: 8,
      promptName: "weather-prompt",
      toolDefinitions: [{ name: "get_weather", parameters: { type: "object" } }],
    });
  });

  test("the newest names of the GenAI conventions are read: cache_write, prompt.version, retrieval and memory", async () => {
    const chat = await rowOf("semconv-genai-latest.json", "chat claude-opus-5");
    expect(chat).toMatchObject({ inputTokens: 130, outputTokens: 24, cacheReadTokens: 64, cacheWriteTokens: 10 });
    expect(chat.metadata).toMatchObject({ promptName: "weather-prompt", promptVersion: "3" });
    const retrieval = await rowOf("semconv-genai-latest.json", "retrieval kb-1");
    expect(retrieval).toMatchObject({
      input: "Paris weather",
      output: [
        { id: "doc-1", score: 0.91, content: "Paris is mild." },
        { id: "doc-2", score: 0.4 },
      ],
    });
    const memory = await rowOf("semconv-genai-latest.json", "search_memory ms_1");
    expect(memory).toMatchObject({ input: "prefs", output: [{ id: "mem_1" }] });
    const embedding = await rowOf("semconv-genai-latest.json", "embeddings text-embedding-3-small");
    expect(embedding).toMatchObject({ inputTokens: 9, outputTokens: null });
  });

  test("Pydantic AI's event list is split into question and answer", async () => {
    const row = await rowOf("pydantic-ai-v1.json", "chat gpt-4o");
    expect(row.input).toEqual([{ role: "user", content: "What is the weather in Paris?" }]);
    expect(row.output).toMatchObject({ role: "assistant", tool_calls: [{ id: "c1", name: "get_weather" }] });
    const tool = await rowOf("pydantic-ai-v1.json", "running tool");
    expect(tool.toolCalls).toEqual([
      { name: "get_weather", input: { city: "Paris" }, output: { temperature: 18 }, success: true, latencyMs: 480 },
    ]);
  });

  test("LiteLLM's second view of a call reports no tokens", async () => {
    const raw = await rowOf("litellm-legacy.json", "raw_gen_ai_request");
    expect(raw).toMatchObject({ kind: "chain", inputTokens: null, outputTokens: null });
    const request = await rowOf("litellm-legacy.json", "litellm_request");
    expect(request).toMatchObject({ kind: "llm", inputTokens: 120, outputTokens: 24 });
    expect(request.metadata).toMatchObject({ userId: "user-42", provider: "openai" });
  });

  test("Genkit's model spans carry usage and messages inside their JSON", async () => {
    const row = await rowOf("genkit.json", "gemini-2.5-flash");
    expect(row).toMatchObject({
      model: "googleai/gemini-2.5-flash",
      inputTokens: 120,
      outputTokens: 24,
      input: [{ role: "user", content: "What is the weather in Paris?" }],
      output: "It is 18 °C and sunny in Paris.",
      metadata: { reasoningTokens: 8 },
    });
  });

  test("an agent below an HTTP server has its own input and output for its root to borrow", async () => {
    const row = await rowOf("plain-http-autoinstrumentation.json", "invoke_agent weather");
    expect(row).toMatchObject({
      agentName: "weather",
      input: "What is the weather in Paris?",
      output: "It is 18 °C and sunny in Paris.",
      metadata: { otel: { messages: { output: [{ role: "assistant" }] } } },
    });
  });
});

async function rowOf(file: string, name: string): Promise<Record<string, unknown>> {
  const { spans } = await decodeFixture(`_conventions/${file}`);
  return readableRow(spans.find((span) => span.name === name) as IncomingSpan);
}
