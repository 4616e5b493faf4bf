import { spanKind } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import { guessSpanKind, normaliseSpanKind } from "../../src/model/span-kind.ts";
import { rowOf, type SpanSketch } from "./build-export.ts";

describe("a stated kind", () => {
  test.each(spanKind.options)("%s is itself", (kind) => {
    expect(normaliseSpanKind(` ${kind.toUpperCase()} `)).toBe(kind);
  });

  test.each([
    ["Retriever", "retrieval"],
    ["generation", "llm"],
    ["generate_content", "llm"],
    ["execute_tool", "tool"],
    ["invoke_agent", "agent"],
    ["embeddings", "embedding"],
    ["memory-read", "memory"],
    ["recall", "memory"],
    ["parser", "chain"],
    ["unknown", "chain"],
    ["constructor", null],
    ["__proto__", null],
    ["", null],
    ["spaceship", null],
  ])("%s means %s", (stated, kind) => {
    expect(normaliseSpanKind(stated)).toBe(kind);
  });
});

describe("a kind that is not declared", () => {
  test.each([
    [{ name: "x", model: "gpt-4o", hasToolCalls: true }, "llm"],
    [{ name: "x", model: null, hasToolCalls: true }, "tool"],
    [{ name: "LLM call 3", model: "", hasToolCalls: false }, "llm"],
    [{ name: "Retrieve documents", model: null, hasToolCalls: false }, "retrieval"],
    [{ name: "retrieve memories", model: null, hasToolCalls: false }, "memory"],
    [{ name: "memory lookup", model: null, hasToolCalls: false }, "memory"],
    [{ name: "step", model: null, hasToolCalls: false }, "chain"],
  ])("of %o is %s", (span, kind) => {
    expect(guessSpanKind(span)).toBe(kind);
  });
});

describe("the kind of an OTLP span", () => {
  const cases: [string, SpanSketch, string][] = [
    [
      "Langfuse before everything",
      { attributes: { "langfuse.observation.type": "retriever", "openinference.span.kind": "LLM" } },
      "retrieval",
    ],
    [
      "a Langfuse span says nothing",
      { attributes: { "langfuse.observation.type": "span", "gen_ai.operation.name": "chat" } },
      "llm",
    ],
    [
      "an embedding that Langfuse calls a generation",
      {
        attributes: {
          "langfuse.observation.type": "generation",
          "langfuse.observation.model.name": "text-embedding-3-small",
        },
      },
      "embedding",
    ],
    ["OpenInference in any case", { attributes: { "openinference.span.kind": "Reranker" } }, "reranker"],
    [
      "OpenInference UNKNOWN says nothing",
      { attributes: { "openinference.span.kind": "UNKNOWN", "gen_ai.tool.name": "x" } },
      "tool",
    ],
    [
      "LangSmith before its own operation name",
      { attributes: { "langsmith.span.kind": "retriever", "gen_ai.operation.name": "embeddings" } },
      "retrieval",
    ],
    ["Traceloop task", { attributes: { "traceloop.span.kind": "task" } }, "chain"],
    ["Mastra inference", { attributes: { "mastra.span.type": "model_inference" } }, "llm"],
    [
      "Mastra generation",
      { attributes: { "mastra.span.type": "model_generation", "gen_ai.operation.name": "chat" } },
      "chain",
    ],
    ["Mastra processor", { attributes: { "mastra.span.type": "processor_run" } }, "guardrail"],
    ["MLflow in JSON quotes", { attributes: { "mlflow.spanType": '"CHAT_MODEL"' } }, "llm"],
    ["Genkit flow", { attributes: { "genkit:metadata:subtype": "flow" } }, "chain"],
    [
      "Claude Code's interaction",
      { scope: "com.anthropic.claude_code.tracing", attributes: { "span.type": "interaction" } },
      "agent",
    ],
    ["span.type of anybody else", { attributes: { "span.type": "interaction" } }, "chain"],
    [
      "LiteLLM's raw request",
      { name: "raw_gen_ai_request", scope: "litellm", attributes: { "gen_ai.operation.name": "chat" } },
      "chain",
    ],
    ["chat", { attributes: { "gen_ai.operation.name": "chat" } }, "llm"],
    ["create_agent", { attributes: { "gen_ai.operation.name": "create_agent" } }, "agent"],
    ["a memory operation", { attributes: { "gen_ai.operation.name": "delete_memory_store" } }, "memory"],
    ["an evaluation", { attributes: { "gen_ai.operation.name": "evaluate" } }, "evaluator"],
    ["a guardrail", { attributes: { "gen_ai.operation.name": "guardrail_check" } }, "guardrail"],
    ["agent_step", { attributes: { "gen_ai.operation.name": "agent_step" } }, "chain"],
    [
      "an unknown operation with a model",
      { attributes: { "gen_ai.operation.name": "paint", "gen_ai.request.model": "m" } },
      "llm",
    ],
    ["ai.streamText.doStream", { attributes: { "ai.operationId": "ai.streamText.doStream" } }, "llm"],
    ["ai.embedMany", { attributes: { "ai.operationId": "ai.embedMany" } }, "embedding"],
    ["ai.generateObject", { attributes: { "operation.name": "ai.generateObject extract" } }, "agent"],
    ["ai.toolCall", { attributes: { "ai.operationId": "ai.toolCall" } }, "tool"],
    ["a tool by its arguments", { attributes: { tool_arguments: "{}" } }, "tool"],
    ["documents", { attributes: { "retrieval.documents.0.document.id": "1" } }, "retrieval"],
    ["a vector query", { events: [{ name: "db.query.result" }] }, "retrieval"],
    ["a vector database", { attributes: { "db.vector.query.top_k": 3 } }, "retrieval"],
    ["Pydantic's first agent", { attributes: { agent_name: "a", model_name: "m" } }, "agent"],
    ["Mastra's scorer", { attributes: { "mastra.span.type": "scorer_run" } }, "evaluator"],
    ["Mastra's memory", { attributes: { "mastra.span.type": "memory_operation" } }, "memory"],
    ["Haystack's generator", { attributes: { "haystack.component.type": "OpenAIChatGenerator" } }, "llm"],
    ["Haystack's retriever", { attributes: { "haystack.component.type": "InMemoryBM25Retriever" } }, "retrieval"],
    ["Haystack's builder", { attributes: { "haystack.component.type": "PromptBuilder" } }, "chain"],
    ["Haystack's agent", { name: "haystack.agent.run" }, "agent"],
    ["Codex's call of a tool", { attributes: { tool_name: "shell", call_id: "call_1", aborted: false } }, "tool"],
    ["llm.request.type", { attributes: { "llm.request.type": "rerank" } }, "reranker"],
    ["ADK's call", { attributes: { "gcp.vertex.agent.llm_request": '{"model":"m"}' } }, "llm"],
    ["ADK's empty request", { attributes: { "gcp.vertex.agent.llm_request": "{}" } }, "chain"],
    ["usage", { attributes: { "gen_ai.usage.input_tokens": 1 } }, "llm"],
    ["zero usage", { attributes: { "gen_ai.usage.input_tokens": 0 } }, "chain"],
    ["an MCP call", { attributes: { "mcp.method.name": "tools/call" } }, "tool"],
    ["a LiveKit turn", { name: "agent_turn", scope: "livekit-agents" }, "agent"],
    [
      "Spring AI's tool",
      { attributes: { "spring.ai.kind": "tool_call", "gen_ai.operation.name": "framework" } },
      "tool",
    ],
    ["Spring AI's client", { attributes: { "spring.ai.kind": "chat_client" } }, "chain"],
    ["an advisor of Spring AI", { attributes: { "spring.ai.kind": "advisor" } }, "chain"],
    [
      "a query of Spring AI's vector store",
      { attributes: { "spring.ai.kind": "vector_store", "db.vector.query.content": "q" } },
      "retrieval",
    ],
    ["an addition to it", { attributes: { "spring.ai.kind": "vector_store" } }, "chain"],
    ["Dify's retriever", { attributes: { "gen_ai.span.kind": "RETRIEVER" } }, "retrieval"],
    ["Dify's task with a model", { attributes: { "gen_ai.span.kind": "TASK", "gen_ai.request.model": "m" } }, "chain"],
    ["VeADK's workflow in any case", { attributes: { "gen_ai.span.kind": "workflow" } }, "chain"],
    [
      "the operation before gen_ai.span.kind",
      { attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.span.kind": "CHAIN" } },
      "agent",
    ],
    ["an unknown gen_ai.span.kind", { attributes: { "gen_ai.span.kind": "STEP", "gen_ai.tool.name": "t" } }, "tool"],
    ["an HTTP request", { attributes: { "http.request.method": "GET" } }, "chain"],
  ];

  test.each(cases)("%s", async (_what, sketch, kind) => {
    expect((await rowOf(sketch)).kind).toBe(kind);
  });
});
