import { describe, expect, test } from "vitest";
import { buildExport, decodeJson, type PlainValue, rowOf, type SpanSketch } from "./build-export.ts";

const llm = { "gen_ai.operation.name": "chat" };
const agent = { "gen_ai.operation.name": "invoke_agent" };
const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" };

describe("name and agent", () => {
  test.each<[string, SpanSketch, string, string | null]>([
    [
      "a root goes by its agent",
      { root: true, name: "invoke_agent x", attributes: { ...agent, "gen_ai.agent.name": "weather" } },
      "weather",
      "weather",
    ],
    [
      "a vendor's name for it comes first",
      { root: true, attributes: { "gen_ai.agent.name": "a", "langfuse.trace.name": "b" } },
      "b",
      "b",
    ],
    [
      "an agent that only the span's name knows",
      { root: true, name: "invoke_agent weather", attributes: agent },
      "weather",
      null,
    ],
    ["a root without an agent keeps its name", { root: true, name: "GET /chat" }, "GET /chat", null],
    [
      "a bare call is filed under what it called",
      { root: true, name: "chat gpt-4o", attributes: llm },
      "chat gpt-4o",
      "gpt-4o",
    ],
    [
      "a child keeps its name",
      { name: "invoke_agent weather", attributes: { ...agent, "gen_ai.agent.name": "weather" } },
      "invoke_agent weather",
      "weather",
    ],
    [
      "the AI SDK's tool is named by the tool",
      { name: "ai.toolCall", attributes: { "ai.operationId": "ai.toolCall", "ai.toolCall.name": "t" } },
      "t",
      null,
    ],
    [
      "Logfire's template is filled",
      { name: "greet {who}", attributes: { "logfire.msg": "greet Ann" } },
      "greet Ann",
      null,
    ],
    ["its message alone does not rename", { name: "greet", attributes: { "logfire.msg": "greet Ann" } }, "greet", null],
    [
      "a parent in another process makes a root of its own",
      { name: "x", attributes: { "gen_ai.agent.name": "weather" }, more: { flags: 769 } },
      "weather",
      "weather",
    ],
    ["no name: the operation", { name: " ", attributes: llm }, "chat", null],
    ["no name: the scope", { name: "", scope: "lib" }, "lib", null],
    ["no name at all", { name: "", scope: "" }, "unnamed span", null],
  ])("%s", async (_what, sketch, name, agentName) => {
    expect(await rowOf(sketch)).toMatchObject({ name, agentName });
  });

  test("an agent's stated name is told from a guessed one", async () => {
    const stated = await rowOf({ root: true, attributes: { "gen_ai.agent.name": "weather" } });
    const guessed = await rowOf({ root: true, name: "chat gpt-4o", attributes: llm });
    expect([stated.otel.agentName, guessed.otel.agentName]).toEqual(["weather", undefined]);
  });

  test("a name of any length is cut to what a name may be", async () => {
    expect((await rowOf({ name: "n".repeat(5000) })).name).toHaveLength(2000);
  });
});

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
    [{ "gen_ai.request.model": "a\u0000b" }, "a\ufffdb"],
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
    [{ attributes: { metadata: '{"thread_id":"m"}' } }, "m"],
    [{ attributes: { "session.id": 77 } }, "77"],
    [{}, null],
  ])("session of %o is %s", async (sketch, sessionId) => {
    expect((await rowOf(sketch)).sessionId).toBe(sessionId);
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

  test("of reasoning are metadata", async () => {
    const row = await rowOf({ attributes: { "gen_ai.usage.reasoning.output_tokens": 8 } });
    expect(row.metadata.reasoningTokens).toBe(8);
  });
});

describe("input and output", () => {
  test.each<[string, SpanSketch, unknown, unknown]>([
    [
      "JSON text becomes its value",
      { attributes: { "mlflow.spanInputs": '{"q": 1}', "mlflow.spanOutputs": '"text"' } },
      { q: 1 },
      "text",
    ],
    [
      "other text stays",
      { attributes: { "mlflow.spanInputs": "{not json", "mlflow.spanOutputs": "plain" } },
      "{not json",
      "plain",
    ],
    ["null is nothing", { attributes: { "traceloop.entity.output": "null" } }, null, null],
    [
      "text/plain is not parsed",
      { attributes: { "input.value": "123", "input.mime_type": "text/plain", "output.value": "123" } },
      "123",
      123,
    ],
    [
      "one argument is unwrapped",
      { attributes: { "traceloop.entity.input": '{"args":["q"],"kwargs":{}}' } },
      "q",
      null,
    ],
    [
      "two are not",
      { attributes: { "traceloop.entity.input": '{"args":["q",1],"kwargs":{}}' } },
      { args: ["q", 1], kwargs: {} },
      null,
    ],
    [
      "nor one beside a named one",
      { attributes: { "traceloop.entity.input": '{"args":["q"],"kwargs":{"k":1}}' } },
      { args: ["q"], kwargs: { k: 1 } },
      null,
    ],
    ["no argument is nothing", { attributes: { "traceloop.entity.input": '{"args":[],"kwargs":{}}' } }, null, null],
    [
      "Langfuse and MLflow objects stay objects",
      { attributes: { "langfuse.observation.input": '{"q":"a"}', "langfuse.observation.output": '{"input":"b"}' } },
      { q: "a" },
      { input: "b" },
    ],
    [
      "LangSmith's wrappers go",
      {
        attributes: {
          "langsmith.span.kind": "chain",
          "gen_ai.prompt": '{"input":"q"}',
          "gen_ai.completion": '{"outputs":"a"}',
        },
      },
      "q",
      "a",
    ],
    [
      "a root prefers what Langfuse says of the trace",
      { root: true, attributes: { "langfuse.trace.input": "t", "langfuse.observation.input": "o" } },
      "t",
      null,
    ],
    ["a child does not", { attributes: { "langfuse.trace.input": "t", "langfuse.observation.input": "o" } }, "o", null],
    [
      "Mastra's keys follow its span type",
      {
        attributes: {
          "mastra.span.type": "agent_run",
          "mastra.agent_run.input": '[{"role":"user","content":"q"}]',
          "mastra.agent_run.output": '{"text":"a","files":[]}',
          "mastra.tool_call.input": "no",
        },
      },
      "q",
      "a",
    ],
    ["Claude Code's prompt is text whatever it looks like", { attributes: { user_prompt: "[1]" } }, "[1]", null],
    [
      "embeddings are lists of JSON text",
      { attributes: { "ai.operationId": "ai.embedMany", "ai.values": ['"a"', '"b"'] } },
      ["a", "b"],
      null,
    ],
    [
      "AI SDK 3 wrote results",
      { attributes: { "ai.operationId": "ai.generateText", "ai.result.text": "a" } },
      null,
      "a",
    ],
    [
      "ADK's tool",
      {
        attributes: {
          ...tool,
          "gcp.vertex.agent.tool_call_args": '{"a":1}',
          "gcp.vertex.agent.tool_response": '{"b":2}',
          "gcp.vertex.agent.llm_request": "{}",
        },
      },
      { a: 1 },
      { b: 2 },
    ],
    [
      "ADK's model call",
      {
        attributes: {
          "gcp.vertex.agent.llm_request":
            '{"model":"m","contents":[{"role":"user","parts":[{"text":"q"}]}],"config":{"system_instruction":"s"}}',
          "gcp.vertex.agent.llm_response": '{"content":{"role":"model","parts":[{"text":"a"}]}}',
        },
      },
      [
        { role: "system", content: "s" },
        { role: "user", content: "q" },
      ],
      "a",
    ],
    ["a plain prompt is the last resort", { attributes: { prompt: "q" } }, "q", null],
  ])("%s", async (_what, sketch, input, output) => {
    expect(await rowOf(sketch)).toMatchObject({ input, output });
  });

  test("a model call shows the conversation, instructions first, and the answer's text", async () => {
    const row = await rowOf({
      attributes: {
        ...llm,
        "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"q"}]}]',
        "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"a"}]}]',
      },
    });
    expect(row).toMatchObject({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "q" },
      ],
      output: "a",
    });
    expect(row.otel.attributes).toEqual(llm);
  });

  test("a model call that answers with more than text shows the message", async () => {
    const parts = '[{"role":"assistant","parts":[{"type":"reasoning","content":"r"},{"type":"text","content":"a"}]}]';
    const { output } = await rowOf({ attributes: { ...llm, "gen_ai.output.messages": parts } });
    expect(output).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "r" },
        { type: "text", text: "a" },
      ],
    });
  });

  test("an agent shows what was asked last and what was said last; the conversation is kept beside", async () => {
    const row = await rowOf({
      attributes: {
        ...agent,
        "gen_ai.input.messages":
          '[{"role":"user","parts":[{"type":"text","content":"first"}]},{"role":"user","parts":[{"type":"text","content":"second"}]}]',
        "gen_ai.output.messages":
          '[{"role":"assistant","parts":[{"type":"text","content":"a"},{"type":"tool_call","id":"c","name":"t","arguments":{}},{"type":"tool_call_response","id":"c","response":"r"}]}]',
      },
    });
    expect(row).toMatchObject({ input: "second", output: "a" });
    expect(row.otel.messages).toMatchObject({
      input: [{}, { content: "second" }],
      output: [{ content: "a" }, { role: "tool", content: "r" }],
    });
  });

  test("an agent's instructions alone are no question", async () => {
    const row = await rowOf({ attributes: { ...agent, "gen_ai.system_instructions": "Be brief." } });
    expect(row.input).toBeNull();
    expect(row.otel.attributes).toMatchObject({ "gen_ai.system_instructions": "Be brief." });
  });

  test("number literals come back as they were written, in values and in tool calls", async () => {
    const value = '{"id": 12345678901234567890, "price": 1.0, "tiny": 1e-7}';
    const [span] = (await decodeJson(buildExport({ attributes: { "mlflow.spanInputs": value } }))).spans;
    expect(span?.input).toBe(value);
    const messages = `[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"t","arguments":{"id":12345678901234567890,"p":1.50}}]}]`;
    const [call] = (await decodeJson(buildExport({ attributes: { ...llm, "gen_ai.output.messages": messages } })))
      .spans;
    expect(call?.output).toContain('"arguments":{"id":12345678901234567890,"p":1.50}');
  });

  test("JSON deeper than anyone could write out again stays text", async () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    expect((await rowOf({ attributes: { "mlflow.spanInputs": deep } })).input).toBe(deep);
    expect((await rowOf({ attributes: { "mlflow.spanInputs": `[1.0,${deep}]` } })).input).toBe(`[1.0,${deep}]`);
  });

  test("what a conversation does not cover stays among the attributes", async () => {
    const state = '{"messages":[{"role":"user","content":"q"}],"documents":["d"]}';
    const row = await rowOf({ attributes: { "openinference.span.kind": "CHAIN", "input.value": state } });
    expect(row.input).toBe("q");
    expect(row.otel.attributes).toMatchObject({ "input.value": state });
  });
});

describe("messages in span events", () => {
  test("of the semantic conventions 1.28 become input and output and are not stored twice", async () => {
    const row = await rowOf({
      attributes: llm,
      events: [
        { name: "gen_ai.system.message", attributes: { content: "Be brief." } },
        { name: "gen_ai.user.message", attributes: { content: "q" } },
        { name: "gen_ai.choice", attributes: { index: 0, message: '{"content":"a"}', finish_reason: "stop" } },
        { name: "cache.hit" },
      ],
    });
    expect(row).toMatchObject({
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "q" },
      ],
      output: "a",
    });
    expect(row.otel.events).toMatchObject([{ name: "cache.hit" }]);
  });

  test("with their body in one attribute (Azure)", async () => {
    const row = await rowOf({
      attributes: llm,
      events: [
        { name: "gen_ai.user.message", attributes: { "gen_ai.event.content": '{"role":"user","content":"q"}' } },
        { name: "gen_ai.choice", attributes: { "gen_ai.event.content": '{"message":{"content":"a"},"index":0}' } },
      ],
    });
    expect(row).toMatchObject({ input: [{ role: "user", content: "q" }], output: "a" });
  });

  test("encoded twice (Strands), on calls and on tools", async () => {
    const call = await rowOf({
      attributes: llm,
      events: [
        { name: "gen_ai.user.message", attributes: { content: '[{"text":"q"}]' } },
        {
          name: "gen_ai.assistant.message",
          attributes: { content: '[{"toolUse":{"toolUseId":"c","name":"t","input":{"a":1}}}]' },
        },
        {
          name: "gen_ai.tool.message",
          attributes: { content: '[{"toolResult":{"toolUseId":"c","content":[{"text":"r"}]}}]' },
        },
        { name: "gen_ai.choice", attributes: { message: '[{"text":"a"}]', finish_reason: "end_turn" } },
      ],
    });
    expect(call.input).toEqual([
      { role: "user", content: "q" },
      { role: "assistant", content: "", tool_calls: [{ id: "c", name: "t", arguments: { a: 1 } }] },
      { role: "tool", content: "r", tool_call_id: "c" },
    ]);
    expect(call.output).toBe("a");
    const run = await rowOf({
      attributes: tool,
      events: [
        { name: "gen_ai.tool.message", attributes: { role: "tool", content: '{"city":"Paris"}', id: "c" } },
        { name: "gen_ai.choice", attributes: { message: '[{"text":"r"}]', id: "c" } },
      ],
    });
    expect(run).toMatchObject({ input: { city: "Paris" }, output: "r" });
  });

  test("in several details events count as attributes of the span, which win", async () => {
    const row = await rowOf({
      attributes: { ...llm, "gen_ai.request.model": "span" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          attributes: { "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"q"}]}]' },
        },
        {
          name: "gen_ai.client.inference.operation.details",
          attributes: { "gen_ai.request.model": "event", "x.left": 1 },
        },
      ],
    });
    expect(row).toMatchObject({ input: [{ role: "user", content: "q" }], model: "span" });
    expect(row.otel.events).toBeUndefined();
    expect(row.otel.attributes).toMatchObject({ "x.left": 1 });
  });
});

describe("documents", () => {
  test.each<[string, SpanSketch]>([
    [
      "OpenInference",
      {
        attributes: {
          "openinference.span.kind": "RETRIEVER",
          "retrieval.documents.0.document.id": "d",
          "retrieval.documents.0.document.content": "c",
          "retrieval.documents.0.document.score": 0.9,
          "retrieval.documents.0.document.metadata": '{"s":1}',
        },
      },
    ],
    [
      "GenAI",
      {
        attributes: {
          "gen_ai.operation.name": "retrieval",
          "gen_ai.retrieval.documents": '[{"id":"d","content":"c","score":0.9,"metadata":{"s":1}}]',
        },
      },
    ],
    [
      "MLflow",
      {
        attributes: {
          "mlflow.spanType": "RETRIEVER",
          "mlflow.spanOutputs": '[{"id":"d","page_content":"c","score":0.9,"metadata":{"s":1}}]',
        },
      },
    ],
    [
      "LangChain",
      {
        attributes: {
          "openinference.span.kind": "RETRIEVER",
          "output.value": '{"documents":[{"id":"d","pageContent":"c","score":0.9,"metadata":{"s":1}}]}',
        },
      },
    ],
    [
      "Langfuse",
      {
        attributes: {
          "langfuse.observation.type": "retriever",
          "langfuse.observation.output": '[{"id":"d","text":"c","score":0.9,"metadata":{"s":1}}]',
        },
      },
    ],
    [
      "a vector database",
      {
        events: [
          {
            name: "db.query.result",
            attributes: {
              "db.query.result.id": "d",
              "db.query.result.document": "c",
              "db.query.result.score": 0.9,
              "db.query.result.metadata": { s: 1 },
              "db.query.result.vector": [1],
            },
          },
        ],
      },
    ],
  ])("of %s are the output in one form", async (_producer, sketch) => {
    const row = await rowOf(sketch);
    expect(row.output).toEqual([{ id: "d", content: "c", score: 0.9, metadata: { s: 1 } }]);
    expect(row.kind).toBe("retrieval");
  });

  test("of a reranker are the ones it put out", async () => {
    const row = await rowOf({
      attributes: {
        "openinference.span.kind": "RERANKER",
        "reranker.query": "q",
        "reranker.input_documents.0.document.content": "in",
        "reranker.output_documents.0.document.content": "out",
      },
    });
    expect(row).toMatchObject({ input: "q", output: [{ content: "out" }] });
  });

  test("that are no documents are stored as they are", async () => {
    const row = await rowOf({
      attributes: { "langfuse.observation.type": "retriever", "langfuse.observation.output": '["a","b"]' },
    });
    expect(row.output).toEqual(["a", "b"]);
  });
});

describe("errors", () => {
  const exception = (attributes: Record<string, PlainValue>) => [{ name: "exception", attributes }];
  const status = (code: number, message?: string) => ({ status: { code, message } });

  test.each<[string, SpanSketch, string | null]>([
    ["a status of error with its message", { more: status(2, "boom") }, "boom"],
    [
      "without a message: Langfuse's",
      { more: status(2), attributes: { "langfuse.observation.status_message": "lf" } },
      "lf",
    ],
    [
      "then the newest exception",
      {
        more: status(2),
        events: [...exception({ "exception.message": "old" }), ...exception({ "exception.message": "new" })],
      },
      "new",
    ],
    ["then the error's type", { more: status(2), attributes: { "error.type": "Timeout" } }, "Timeout"],
    ["then a word", { more: status(2) }, "error"],
    [
      "Langfuse's level, with the status unset",
      { attributes: { "langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "lf" } },
      "lf",
    ],
    [
      "a lower level is none",
      { attributes: { "langfuse.observation.level": "WARNING", "langfuse.observation.status_message": "lf" } },
      null,
    ],
    ["a tool that says so", { attributes: { ...tool, "gen_ai.tool.status": "error" } }, "error"],
    [
      "Claude Code without success",
      { scope: "com.anthropic.claude_code.tracing", attributes: { success: false, error: "429" } },
      "429",
    ],
    ["success of anybody else", { attributes: { success: false } }, null],
    ["Genkit's state", { attributes: { "genkit:state": "error" } }, "error"],
    ["error.type with the status unset", { attributes: { "error.type": "Timeout" } }, "Timeout"],
    ["error.type under a status of ok", { more: status(1), attributes: { "error.type": "Timeout" } }, null],
    ["an exception it recovered from", { events: exception({ "exception.message": "caught" }) }, null],
    [
      "an exception under a status of ok",
      { more: status(1), events: exception({ "exception.message": "x", "exception.escaped": true }) },
      null,
    ],
    [
      "an exception that escaped",
      { events: exception({ "exception.message": "out", "exception.escaped": true }) },
      "out",
    ],
    ["NUL in a message", { more: status(2, "a\u0000b") }, "a\ufffdb"],
  ])("%s", async (_what, sketch, error) => {
    expect((await rowOf(sketch)).error).toBe(error);
  });

  test("a stack trace never gets into the error; it is kept beside", async () => {
    const javascript =
      "400 bad model\n\nError: 400 bad model\n    at generate (file:///x.mjs:1:2)\n    at run (y.js:3:4)";
    const python = 'Traceback (most recent call last):\n  File "x.py", line 1\nValueError: bad';
    const first = await rowOf({ more: status(2, javascript) });
    const second = await rowOf({ more: status(2, python) });
    expect([first.error, second.error]).toEqual(["400 bad model", "ValueError: bad"]);
    expect(first.otel.exception).toEqual({ stacktrace: javascript });
    const third = await rowOf({
      events: exception({ "exception.type": "E", "exception.message": "m", "exception.stacktrace": "s" }),
    });
    expect(third.otel.exception).toEqual({ type: "E", message: "m", stacktrace: "s" });
  });

  test("a message of millions of lines is read in no time", async () => {
    const nasty = [`${"\n".repeat(500_000)}x`, `${"Error.".repeat(100_000)}\n    at x`, `${" ".repeat(500_000)}at`];
    for (const message of nasty) expect((await rowOf({ more: status(2, message) })).error).not.toBeNull();
  });
});

describe("a tool's own call", () => {
  test("carries name, input, output, success and latency", async () => {
    const row = await rowOf({
      attributes: {
        ...tool,
        "gen_ai.tool.call.id": "c",
        "gen_ai.tool.call.arguments": '{"a":1}',
        "gen_ai.tool.call.result": "r",
      },
    });
    expect(row.toolCalls).toEqual([
      { name: "get_weather", input: { a: 1 }, output: "r", success: true, latencyMs: 1.5 },
    ]);
    expect(row.otel.toolCallId).toBe("c");
  });

  test("that failed carries the error", async () => {
    const row = await rowOf({ attributes: tool, more: { status: { code: 2, message: "down" } } });
    expect(row.toolCalls).toEqual([{ name: "get_weather", success: false, latencyMs: 1.5, error: "down" }]);
  });

  test.each<[SpanSketch, string]>([
    [{ name: "execute_tool search", attributes: { "gen_ai.operation.name": "execute_tool" } }, "search"],
    [{ name: "tools/call search", attributes: { "mcp.method.name": "tools/call" } }, "search"],
    [{ name: "search.tool", attributes: { "openinference.span.kind": "TOOL" } }, "search"],
    [{ name: ".tool", attributes: { "openinference.span.kind": "TOOL" } }, ".tool"],
    [{ name: "x", attributes: { "traceloop.span.kind": "tool", "traceloop.entity.name": "search" } }, "search"],
  ])("is named by the tool: %o -> %s", async (sketch, name) => {
    expect((await rowOf(sketch)).toolCalls).toMatchObject([{ name }]);
  });

  test("is no business of other kinds", async () => {
    expect((await rowOf({ attributes: { ...llm, "gen_ai.tool.name": "x" } })).toolCalls).toBeNull();
  });
});

describe("metadata", () => {
  test("has the producer's own entries, and ours under names that none of them can take", async () => {
    const row = await rowOf({
      attributes: {
        metadata: '{"plan":"gold","otel":"theirs","userId":"theirs"}',
        "langfuse.trace.metadata.tier": "a",
        "langfuse.observation.metadata.tier": "b",
        "user.id": "ours",
      },
    });
    expect(row.metadata).toEqual({ plan: "gold", tier: "b", userId: "ours" });
    expect(row.otel.traceId).toBe("5b8efff798038103d269b633813fc60c");
  });

  test("has user, environment, tags, prompt, version, release, provider and cost by name", async () => {
    const row = await rowOf({
      scope: "ai",
      attributes: {
        "enduser.id": "u",
        "tag.tags": '["a","b"]',
        "touchstone.prompt_name": "p",
        "gen_ai.prompt.version": 3,
        "touchstone.version": "9",
        "langfuse.release": "r",
        "gen_ai.system": "openai.chat",
        "gen_ai.usage.cost": 0.003,
      },
      resource: { "deployment.environment": "prod", "service.version": "1" },
    });
    expect(row.metadata).toEqual({
      userId: "u",
      environment: "prod",
      tags: ["a", "b"],
      provider: "openai",
      promptName: "p",
      promptVersion: "3",
      version: "9",
      release: "r",
      reportedCostUSD: 0.003,
    });
  });

  test("costs of input and output are summed where no total is reported", async () => {
    const row = await rowOf({ attributes: { "gen_ai.usage.input_cost": 0.5, "gen_ai.usage.output_cost": "0.25" } });
    expect(row.metadata.reportedCostUSD).toBe(0.75);
  });

  test.each([
    ["a,b , ", ["a", "b"]],
    ["", undefined],
    [["x"], ["x"]],
  ])("tags %o are %o", async (given, tags) => {
    expect((await rowOf({ attributes: { "langsmith.span.tags": given } })).metadata.tags).toEqual(tags);
  });

  test("leaves environment variables and copies of the payload among the attributes", async () => {
    const noise = {
      "langsmith.metadata.LANGSMITH_TRACING": "true",
      "mastra.metadata.body": "b",
      "mastra.metadata.headers": "h",
    };
    const row = await rowOf({ attributes: { ...noise, "mastra.metadata.runId": "r" } });
    expect(row.metadata).toEqual({ runId: "r" });
    expect(row.otel.attributes).toEqual(noise);
  });

  test.each<[string, Record<string, PlainValue>]>([
    [
      "GenAI",
      {
        "gen_ai.tool.definitions": '[{"type":"function","name":"t","description":"d","parameters":{"type":"object"}}]',
      },
    ],
    [
      "the AI SDK",
      { "ai.prompt.tools": ['{"type":"function","name":"t","description":"d","inputSchema":{"type":"object"}}'] },
    ],
    [
      "Traceloop",
      {
        "gen_ai.tool.definitions":
          '[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}]',
      },
    ],
    [
      "OpenInference",
      { "llm.tools.0.tool.json_schema": '{"function":{"name":"t","description":"d","parameters":{"type":"object"}}}' },
    ],
    [
      "OpenLLMetry",
      {
        "llm.request.functions.0.name": "t",
        "llm.request.functions.0.description": "d",
        "llm.request.functions.0.parameters": '{"type":"object"}',
      },
    ],
    [
      "Langfuse",
      {
        "langfuse.observation.input":
          '{"messages":[],"tools":[{"function":{"name":"t","description":"d","parameters":{"type":"object"}}}]}',
      },
    ],
  ])("tool definitions of %s come out in one form", async (_producer, attributes) => {
    expect((await rowOf({ attributes })).metadata.toolDefinitions).toEqual([
      { name: "t", description: "d", parameters: { type: "object" } },
    ]);
  });

  test("tools may be bare names", async () => {
    const row = await rowOf({ attributes: { "gen_ai.tool.definitions": '["a","b"]' } });
    expect(row.metadata.toolDefinitions).toEqual([{ name: "a" }, { name: "b" }]);
  });
});

describe("metadata.otel", () => {
  test("keeps all that has no field: ids, scope, resource, kind, state, flags, links, events, dropped counts", async () => {
    const row = await rowOf({
      resource: { "service.name": "svc" },
      attributes: { "x.rest": [1, "two"], "gen_ai.response.id": "resp" },
      events: [{ name: "step", attributes: { n: 1 } }],
      more: {
        kind: 3,
        traceState: "a=b",
        flags: 1,
        droppedAttributesCount: 2,
        links: [
          {
            traceId: "B".repeat(32),
            spanId: "C".repeat(16),
            attributes: [{ key: "why", value: { stringValue: "because" } }],
          },
        ],
      },
    });
    expect(row.otel).toEqual({
      traceId: "5b8efff798038103d269b633813fc60c",
      spanId: "eee19b7ec3c10000",
      parentSpanId: "aaaaaaaaaaaaaaaa",
      scope: { name: "test" },
      resource: { "service.name": "svc" },
      kind: "client",
      traceState: "a=b",
      flags: 1,
      responseId: "resp",
      events: [{ name: "step", time: "2026-11-21T00:00:00.000Z", attributes: { n: 1 } }],
      links: [{ traceId: "b".repeat(32), spanId: "c".repeat(16), attributes: { why: "because" } }],
      droppedCounts: { attributes: 2 },
      attributes: { "x.rest": [1, "two"] },
    });
  });

  test("keeps 64 events and 64 links and counts the others as dropped", async () => {
    const row = await rowOf({
      events: Array.from({ length: 70 }, () => ({ name: "e" })),
      more: { links: Array.from({ length: 65 }, () => ({ traceId: "", spanId: "" })), droppedEventsCount: 1 },
    });
    expect([row.otel.events, row.otel.links].map((list) => (list as unknown[]).length)).toEqual([64, 64]);
    expect(row.otel.droppedCounts).toEqual({ events: 7, links: 1 });
  });

  test("drops embedding vectors of 64 numbers and more, however they are written", async () => {
    const vector = (length: number) => Array.from({ length }, (_, index) => index / 7);
    const row = await rowOf({
      attributes: {
        "embedding.embeddings.0.embedding.vector": vector(64),
        "embedding.embeddings.1.embedding.vector": vector(63),
        "embedding.embeddings.0.embedding.text": "kept",
        "ai.embedding": JSON.stringify(vector(1536)),
        "ai.embeddings": [JSON.stringify(vector(1536))],
        "x.numbers": vector(100),
      },
      events: [
        { name: "db.query.embeddings", attributes: { "db.query.embeddings.vector": JSON.stringify(vector(64)) } },
      ],
    });
    expect(Object.keys(row.otel.attributes as object)).toEqual([
      "embedding.embeddings.1.embedding.vector",
      "embedding.embeddings.0.embedding.text",
      "x.numbers",
    ]);
    expect(row.otel.events).toMatchObject([{ attributes: {} }]);
  });
});
