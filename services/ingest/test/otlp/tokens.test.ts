import { describe, expect, test } from "vitest";
import type { TreeFacts } from "../../src/model/own-facts.ts";
import { rowOf, type SpanSketch } from "./build-export.ts";

describe("tokens", () => {
  test.each<[string, SpanSketch, (number | null)[]]>([
    [
      "the newest names first",
      {
        attributes: {
          "gen_ai.usage.input_tokens": 10,
          "gen_ai.usage.prompt_tokens": 9,
          "gen_ai.usage.output_tokens": 2,
        },
      },
      [10, 2, null, null],
    ],
    [
      "old and new names together are not added",
      { attributes: { "gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.input_tokens": 10 } },
      [10, null, null, null],
    ],
    [
      "a zero is no count and gives way",
      { attributes: { "llm.token_count.prompt": 0, "gen_ai.usage.input_tokens": 7 } },
      [7, null, null, null],
    ],
    [
      "text is a number, a negative is none",
      { attributes: { "gen_ai.usage.input_tokens": "12", "gen_ai.usage.output_tokens": -3 } },
      [12, null, null, null],
    ],
    [
      "not a number",
      { attributes: { "gen_ai.usage.input_tokens": "many", "gen_ai.usage.output_tokens": "NaN" } },
      [null, null, null, null],
    ],
    [
      "details may come from another convention",
      { attributes: { "gen_ai.usage.input_tokens": 120, "ai.usage.cachedInputTokens": 64 } },
      [120, null, 64, null],
    ],
    [
      "inclusive caches stay",
      {
        attributes: {
          "gen_ai.usage.input_tokens": 130,
          "gen_ai.usage.cache_read.input_tokens": 64,
          "gen_ai.usage.cache_creation.input_tokens": 10,
        },
      },
      [130, null, 64, 10],
    ],
    [
      "more cached than read means exclusive",
      {
        attributes: {
          "gen_ai.usage.input_tokens": 56,
          "gen_ai.usage.cache_read.input_tokens": 64,
          "gen_ai.usage.cache_write.input_tokens": 10,
        },
      },
      [130, null, 64, 10],
    ],
    [
      "Strands counts what Bedrock cached apart",
      { attributes: { "gen_ai.usage.input_tokens": 12, "gen_ai.usage.cache_write_input_tokens": 5000 } },
      [5012, null, null, 5000],
    ],
    [
      "the ephemeral caches are summed",
      {
        attributes: {
          "gen_ai.usage.input_tokens": 100,
          "gen_ai.usage.cache_creation.ephemeral_5m_input_tokens": 3,
          "gen_ai.usage.cache_creation.ephemeral_1h_input_tokens": 4,
        },
      },
      [100, null, null, 7],
    ],
    [
      "Langfuse's keys exclude each other",
      {
        attributes: {
          "langfuse.observation.usage_details":
            '{"input":56,"output":16,"total":144,"input_cached_tokens":64,"output_reasoning_tokens":8}',
        },
      },
      [120, 24, 64, null],
    ],
    [
      "OpenAI's own usage in Langfuse's attribute includes its parts",
      {
        attributes: {
          "langfuse.observation.usage_details":
            '{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010,"prompt_tokens_details":{"cached_tokens":900},"completion_tokens_details":{"reasoning_tokens":5}}',
        },
      },
      [1000, 10, 900, null],
    ],
    [
      "Langfuse's caches by period",
      {
        attributes: {
          "langfuse.observation.usage_details":
            '{"input":50,"input_cache_read":20,"input_cache_creation_5m":5,"input_cache_creation_1h":1}',
        },
      },
      [76, null, 20, 6],
    ],
    [
      "Claude Code counts its caches apart",
      {
        scope: "com.anthropic.claude_code.tracing",
        attributes: { input_tokens: 100, output_tokens: 24, cache_read_tokens: 64, cache_creation_tokens: 10 },
      },
      [174, 24, 64, 10],
    ],
    ["bare names mean nothing elsewhere", { attributes: { input_tokens: 100 } }, [null, null, null, null]],
    [
      "ADK's thoughts are output",
      {
        attributes: {
          "gcp.vertex.agent.llm_response":
            '{"usage_metadata":{"prompt_token_count":120,"candidates_token_count":16,"thoughts_token_count":8,"cached_content_token_count":64}}',
          "gen_ai.usage.output_tokens": 16,
        },
      },
      [120, 24, 64, null],
    ],
    [
      "ADK in camel case",
      {
        attributes: {
          "gcp.vertex.agent.llm_response":
            '{"usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":16,"thoughtsTokenCount":8}}',
        },
      },
      [120, 24, null, null],
    ],
    [
      "ADK counts the results of Google's tools apart from the prompt",
      {
        attributes: {
          "gcp.vertex.agent.llm_response":
            '{"usage_metadata":{"prompt_token_count":120,"tool_use_prompt_token_count":30,"candidates_token_count":16}}',
          "gen_ai.usage.input_tokens": 120,
        },
      },
      [150, 16, null, null],
    ],
    [
      "the same in camel case",
      {
        attributes: {
          "gcp.vertex.agent.llm_response": '{"usageMetadata":{"promptTokenCount":120,"toolUsePromptTokenCount":30}}',
        },
      },
      [150, null, null, null],
    ],
    [
      "inclusive reasoning stays",
      { attributes: { "gen_ai.usage.output_tokens": 24, "gen_ai.usage.reasoning.output_tokens": 8 } },
      [null, 24, null, null],
    ],
    [
      "more reasoning than output means exclusive",
      { attributes: { "gen_ai.usage.output_tokens": 16, "gen_ai.usage.experimental.reasoning_tokens": 40 } },
      [null, 56, null, null],
    ],
    [
      "MLflow",
      { attributes: { "mlflow.chat.tokenUsage": '{"input_tokens":5,"output_tokens":6.0}' } },
      [5, 6, null, null],
    ],
    [
      "LangSmith's details",
      {
        attributes: {
          "langsmith.usage_metadata": '{"input_tokens":120,"output_tokens":24,"input_token_details":{"cache_read":64}}',
        },
      },
      [120, 24, 64, null],
    ],
    [
      "the AI SDK's provider metadata",
      {
        attributes: {
          "ai.usage.promptTokens": 120,
          "ai.response.providerMetadata": '{"openai":{"cachedPromptTokens":64}}',
        },
      },
      [120, null, 64, null],
    ],
    ["embeddings of the AI SDK", { attributes: { "ai.usage.tokens": 9 } }, [9, null, null, null]],
  ])("%s", async (_what, sketch, [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]) => {
    expect(await rowOf(sketch)).toMatchObject({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
  });

  test("of LiteLLM's second view of a call never count", async () => {
    const attributes = { "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 24 };
    const raw = await rowOf({ name: "raw_gen_ai_request", scope: "litellm", attributes });
    expect(raw).toMatchObject({ kind: "chain", inputTokens: null, outputTokens: null });
    expect(raw.otel.attributes).toEqual(attributes);
  });

  test("of an agent of Strands are marked as those of all its runs, those of its calls and of other agents are not", async () => {
    const marked = async (scope: string, operation: string) => {
      const attributes = { "gen_ai.operation.name": operation, "gen_ai.usage.input_tokens": 900 };
      return ((await rowOf({ scope, attributes })).tree as TreeFacts).countsLifetime;
    };
    expect(await marked("strands.telemetry.tracer", "invoke_agent")).toBe(true);
    expect(await marked("strands.telemetry.tracer", "chat")).toBeUndefined();
    expect(await marked("pydantic-ai", "invoke_agent")).toBeUndefined();
  });

  test("of Codex are those of the turn, with its model and thread; its responses never count", async () => {
    const usage = { input_tokens: 1200, cached_input_tokens: 900, output_tokens: 80, reasoning_output_tokens: 64 };
    const turn = await rowOf({
      name: "session_task.turn",
      scope: "codex_cli_rs",
      attributes: {
        ...{ "thread.id": "t1", "turn.id": "1", model: "gpt-5.1-codex", "codex.turn.reasoning_effort": "medium" },
        ...Object.fromEntries(Object.entries(usage).map(([key, n]) => [`codex.turn.token_usage.${key}`, n])),
      },
    });
    expect(turn).toMatchObject({
      ...{ kind: "agent", model: "gpt-5.1-codex", sessionId: "t1", framework: "codex" },
      ...{ inputTokens: 1200, outputTokens: 80, cacheReadTokens: 900, metadata: { reasoningTokens: 64 } },
    });
    const response = await rowOf({
      name: "completed",
      scope: "codex_cli_rs",
      attributes: { "codex.request.reasoning_effort": "medium", "gen_ai.usage.input_tokens": 1200 },
    });
    expect(response).toMatchObject({ kind: "chain", inputTokens: null });
  });

  test.each([
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.experimental.reasoning_tokens",
    "gen_ai.usage.details.thoughts_tokens",
  ])("of reasoning in %s are metadata", async (name) => {
    const row = await rowOf({ attributes: { [name]: 8 } });
    expect(row.metadata.reasoningTokens).toBe(8);
  });
});
