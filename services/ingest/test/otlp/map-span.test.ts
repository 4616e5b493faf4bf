import { describe, expect, test } from "vitest";
import { type PlainValue, rowOf, type SpanSketch } from "./build-export.ts";

describe("parents", () => {
  test.each([
    [{ flags: 0x301 }, true],
    [{ flags: 0x101 }, false],
    [{ flags: 0x201 }, false],
    [{ flags: "769" }, true],
    [{}, false],
  ])("flags %o say remote: %s", async (more, parentIsRemote) => {
    expect(await rowOf({ more })).toMatchObject({ parentIsRemote, parentSpanId: "aaaaaaaaaaaaaaaa" });
  });

  test.each([true, "true"])("Langfuse's as_root = %o makes a root and keeps the parent in view", async (asRoot) => {
    const row = await rowOf({ attributes: { "langfuse.internal.as_root": asRoot } });
    expect(row).toMatchObject({ parentSpanId: null, otel: { parentSpanId: "aaaaaaaaaaaaaaaa" } });
  });
});

describe("times", () => {
  test("are milliseconds with microseconds behind the point; latency has three decimals", async () => {
    const more = { startTimeUnixNano: "1795218892588000123", endTimeUnixNano: "1795218892696461728" };
    expect(await rowOf({ more })).toMatchObject({
      startedAtMs: 1795218892588,
      endedAtMs: 1795218892696.461,
      latencyMs: 108.462,
      timestampMs: null,
    });
  });

  test.each([
    [
      { startTimeUnixNano: "0", endTimeUnixNano: "1795218892696461728" },
      { startedAtMs: null, latencyMs: null },
    ],
    [{ startTimeUnixNano: "soon" }, { startedAtMs: null, latencyMs: null }],
    [{ startTimeUnixNano: -5 }, { startedAtMs: null }],
    [{ startTimeUnixNano: 1795218892588000000, endTimeUnixNano: 1795218892589000000 }, { latencyMs: 1 }],
    [{ startTimeUnixNano: "1.795218892588e18" }, { startedAtMs: 1795218892588 }],
  ])("%o", async (more, expected) => {
    expect(await rowOf({ more })).toMatchObject(expected);
  });
});

describe("model, session and framework", () => {
  test.each<[Record<string, PlainValue>, string | null]>([
    [{ "gen_ai.response.model": "b", "gen_ai.request.model": "a" }, "b"],
    [{ "gen_ai.request.model": "a", "ai.model.id": "c" }, "a"],
    [{ "llm.model_name": "v", "gen_ai.response.model": "b" }, "v"],
    [{ "mlflow.llm.model": '"gpt-4o"' }, "gpt-4o"],
    [{ model: "not Claude Code" }, null],
    [{ agent_name: "a", model_name: "m" }, "m"],
    [{ model_name: "m" }, null],
    [{ "gen_ai.request.model": " " }, null],
    [{ "gen_ai.request.model": 4 }, "4"],
    [{ "gen_ai.request.model": "a\u0000b\ud800c" }, "a\ufffdb\ufffdc"],
  ])("model of %o is %s", async (attributes, model) => {
    expect((await rowOf({ attributes })).model).toBe(model);
  });

  test.each<[SpanSketch, string | null]>([
    [{ attributes: { "touchstone.session_id": "ours", "session.id": "theirs" } }, "ours"],
    [{ attributes: { "session.id": "s", "gen_ai.conversation.id": "c" } }, "s"],
    [{ attributes: { "gen_ai.conversation.id": "c" }, resource: { "session.id": "r" } }, "c"],
    [{ resource: { "session.id": "r" } }, "r"],
    [{ attributes: { "traceloop.association.properties.thread_id": "t" } }, "t"],
    [{ attributes: { "ai.telemetry.metadata.sessionId": "v" } }, "v"],
    [{ attributes: { "langsmith.trace.session_name": "a project" } }, null],
    [{ attributes: { "spring.ai.chat.client.conversation.id": "c" } }, "c"],
    [{ attributes: { "gen_ai.session.id": "g" } }, "g"],
    [{ attributes: { "gen_ai.conversation.id": "c", "gen_ai.session.id": "g" } }, "c"],
    [{ attributes: { session_id: "t", "traceloop.workflow.name": "w" } }, "t"],
    [{ attributes: { conversation_id: "t", "traceloop.entity.path": "p" } }, "t"],
    [{ attributes: { session_id: "anybody's", conversation_id: "anybody's" } }, null],
    [{ attributes: { metadata: '{"thread_id":"m"}' } }, "m"],
    [{ attributes: { "session.id": 77 } }, "77"],
    [{}, null],
  ])("session of %o is %s", async (sketch, sessionId) => {
    expect((await rowOf(sketch)).sessionId).toBe(sessionId);
  });

  test.each<[SpanSketch, string | undefined]>([
    [{ attributes: { "gen_ai.user.id": "g" } }, "g"],
    [{ attributes: { user_id: "t", "traceloop.span.kind": "workflow" } }, "t"],
    [{ attributes: { user_id: "t", "traceloop.span.kind": "workflow" }, resource: { "user.id": "r" } }, "r"],
    [{ attributes: { user_id: "anybody's" } }, undefined],
  ])("user of %o is %s", async (sketch, userId) => {
    expect((await rowOf(sketch)).metadata.userId).toBe(userId);
  });

  test("a session too long for an index is cut and stays whole among the attributes", async () => {
    const row = await rowOf({ attributes: { "session.id": "s".repeat(600) } });
    expect(row.sessionId).toHaveLength(512);
    expect(row.otel.attributes).toEqual({ "session.id": "s".repeat(600) });
  });

  test.each<[SpanSketch, string]>([
    [{ scope: "ai", attributes: { "touchstone.framework": " Mine " } }, "mine"],
    [{ scope: "ai", attributes: { "gen_ai.system": "openai.chat" } }, "vercel-ai"],
    [{ scope: "gen_ai" }, "vercel-ai"],
    [{ scope: "openinference.instrumentation.langchain" }, "langchain"],
    [{ scope: "openinference.instrumentation.openai_agents" }, "openai-agents"],
    [{ scope: "strands.telemetry.tracer" }, "strands"],
    [{ scope: "gcp.vertex.agent" }, "google-adk"],
    [{ scope: "@mastra/otel" }, "mastra"],
    [{ scope: "Microsoft.SemanticKernel.Diagnostics" }, "semantic-kernel"],
    [{ scope: "semantic_kernel.connectors.ai", attributes: { "gen_ai.system": "openai" } }, "semantic-kernel"],
    [{ scope: "agent_framework", attributes: { "gen_ai.provider.name": "openai" } }, "microsoft-agent-framework"],
    [{ scope: "x", attributes: { "gen_ai.provider.name": "AWS.Bedrock", "gen_ai.system": "aws" } }, "aws.bedrock"],
    [{ scope: "Own", resource: { "service.name": "svc" } }, "own"],
    [{ scope: "", resource: { "service.name": "Svc" } }, "svc"],
    [{ scope: "" }, "otel"],
    [{ scope: "s".repeat(100) }, "s".repeat(64)],
  ])("framework of %o is %s", async (sketch, framework) => {
    expect((await rowOf(sketch)).framework).toBe(framework);
  });

  test("evaluation traffic is marked by the span or its resource, and by nothing else", async () => {
    const marked = await rowOf({ attributes: { "touchstone.source": "eval-run" } });
    const marking = await rowOf({ resource: { "touchstone.source": "eval-run" } });
    const other = await rowOf({ attributes: { "touchstone.source": "ci" } });
    expect([marked.trafficSource, marking.trafficSource, other.trafficSource]).toEqual(["eval-run", "eval-run", null]);
  });
});
