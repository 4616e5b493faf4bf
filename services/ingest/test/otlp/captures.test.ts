import { describe, expect, test } from "vitest";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { listCaptures, nowMs, readableRow, readCapture } from "./corpus.ts";

const traces = listCaptures().filter(({ signal }) => signal === "traces");

/** Spans in the order they were exported, by kind; roots are in capitals. Read off the producers' scenarios by hand. */
const expected: Record<string, string> = {
  "claude-agent-sdk/01": "llm AGENT",
  "langfuse/01": "retrieval guardrail llm tool llm llm AGENT",
  "langfuse/02": "LLM",
  "langfuse/03": "EMBEDDING",
  "langfuse/04": "LLM",
  "langsmith/01": "retrieval llm tool llm CHAIN LLM",
  "openinference-langchain/01": "retrieval llm tool llm CHAIN",
  "openinference-langchain/02": "prompt llm CHAIN",
  "openinference-langchain/03": "LLM",
  "openinference-openai/01": "retrieval reranker guardrail tool AGENT llm llm",
  "openinference-openai/02": "LLM",
  "openinference-openai/03": "EMBEDDING",
  "openinference-openai/04": "LLM",
  "openinference-openai/05": "LLM",
  "otel-openai/03": "llm llm CHAIN",
  "otel-openai/05": "LLM EMBEDDING LLM",
  "traceloop/01": "llm llm tool agent CHAIN",
  "traceloop/02": "LLM",
  "traceloop/03": "RETRIEVAL",
  "vercel-ai-v4/01": "llm tool llm AGENT",
  "vercel-ai-v4/02": "tool llm llm AGENT",
  "vercel-ai-v4/03": "embedding EMBEDDING",
  "vercel-ai-v4/04": "llm AGENT",
  "vercel-ai-v4/05": "llm tool AGENT",
  "vercel-ai-v5/01": "llm tool llm AGENT",
  "vercel-ai-v5/02": "tool llm llm AGENT",
  "vercel-ai-v5/03": "embedding EMBEDDING",
  "vercel-ai-v5/04": "llm AGENT",
  "vercel-ai-v5/05": "llm tool llm AGENT",
  "vercel-ai-v7-genai/01": "llm tool chain llm chain AGENT",
  "vercel-ai-v7-genai/02": "llm tool chain llm chain AGENT",
  "vercel-ai-v7-genai/03": "embedding EMBEDDING embedding EMBEDDING",
  "vercel-ai-v7-genai/04": "llm chain AGENT",
  "vercel-ai-v7-genai/05": "llm tool chain llm chain AGENT",
  "vercel-ai-v7-genai/06": "retrieval CHAIN llm agent",
  "vercel-ai-v7-legacy/01": "tool llm llm AGENT",
  "vercel-ai-v7-legacy/02": "tool llm llm AGENT",
  "vercel-ai-v7-legacy/03": "embedding EMBEDDING embedding EMBEDDING",
  "vercel-ai-v7-legacy/04": "llm AGENT",
  "vercel-ai-v7-legacy/05": "tool llm llm AGENT",
  "vercel-ai-v7-legacy/06": "retrieval CHAIN llm agent",
};
for (const number of ["01", "02", "03", "04", "05", "06"]) {
  expected[`vercel-ai-v7-genai-json-gzip/${number}`] = expected[`vercel-ai-v7-genai/${number}`] as string;
}

test("every captured trace export has an expectation", () => {
  expect(traces.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
});

describe.each(traces)("$name", (capture) => {
  test("decodes without a rejection, into the spans, kinds and roots of its scenario", async () => {
    const body = await readCapture(capture);
    const { spans, spanCount, rejected, message } = await decodeTraceExport({
      body,
      contentType: capture.contentType,
      nowMs,
    });
    const kinds = spans.map(({ kind, parentSpanId }) => (parentSpanId === null ? kind.toUpperCase() : kind));

    expect({ rejected, message, spanCount }).toEqual({ rejected: 0, message: null, spanCount: kinds.length });
    expect(kinds.join(" ")).toBe(expected[capture.name]);
  });

  test("maps to the golden rows", async () => {
    const body = await readCapture(capture);
    const { spans } = await decodeTraceExport({ body, contentType: capture.contentType, nowMs });

    const rows = JSON.stringify(spans.map(readableRow), null, 2);
    await expect(`${rows}\n`).toMatchFileSnapshot(`golden/${capture.name.replace("/", "-")}.json`);
  });
});

describe("every agent run", () => {
  const runs = [
    ["langfuse/01", { name: "weather-agent", output: "It is 18 °C and sunny in Paris.", sessionId: "sess-77" }],
    ["langsmith/01", { name: "weather-agent", output: "It is 18 °C and sunny in Paris.", sessionId: "sess-77" }],
    ["openinference-langchain/01", { name: "weather-agent", sessionId: "sess-77" }],
    ["openinference-openai/01", { name: "weather-agent", sessionId: "sess-77" }],
    ["traceloop/01", { name: "weather-workflow", sessionId: "sess-77" }],
    ["vercel-ai-v4/01", { name: "weather-agent", sessionId: "sess-77", framework: "vercel-ai" }],
    ["vercel-ai-v5/01", { name: "weather-agent", sessionId: "sess-77", framework: "vercel-ai" }],
    ["vercel-ai-v7-genai/01", { name: "weather-agent", sessionId: null, framework: "vercel-ai" }],
    ["vercel-ai-v7-legacy/01", { name: "weather-agent", sessionId: null, framework: "vercel-ai" }],
  ] as const;

  test.each(runs)("of %s has a root with a name, an answer and a separate session", async (name, root) => {
    const capture = traces.find((candidate) => candidate.name === name);
    const body = await readCapture(capture as (typeof traces)[number]);
    const contentType = capture?.contentType ?? "protobuf";
    const { spans } = await decodeTraceExport({ body, contentType, nowMs });

    const row = readableRow(spans.find((span) => span.parentSpanId === null) as (typeof spans)[number]);
    expect(row).toMatchObject({ output: "It is 18 °C and sunny in Paris.", ...root });
  });
});
