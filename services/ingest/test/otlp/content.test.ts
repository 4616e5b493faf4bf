import { describe, expect, test } from "vitest";
import { buildExport, decodeJson, rowOf, type SpanSketch } from "./build-export.ts";

const llm = { "gen_ai.operation.name": "chat" };
const agent = { "gen_ai.operation.name": "invoke_agent" };
const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" };

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
      "a text model's prompt and completion have no role",
      { attributes: { ...llm, "gen_ai.prompt.0.user": "q", "gen_ai.completion.0.content": "a" } },
      [{ role: "user", content: "q" }],
      "a",
    ],
    [
      "nor has a prompt in `content`",
      { attributes: { ...agent, "gen_ai.prompt.0.content": "q", "gen_ai.completion.0.content": "a" } },
      "q",
      "a",
    ],
    [
      "what is embedded is no message",
      { attributes: { "gen_ai.operation.name": "embeddings", "gen_ai.prompt.0.content": "q" } },
      [{ content: "q" }],
      null,
    ],
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
      "the AI SDK's agent may be prompted with messages",
      {
        attributes: {
          ...agent,
          "ai.prompt": '{"system":"s","prompt":[{"role":"user","content":[{"type":"text","text":"q"}]}]}',
        },
      },
      "q",
      null,
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
    [
      "Spring AI's tool",
      {
        attributes: {
          "spring.ai.kind": "tool_call",
          "spring.ai.tool.call.arguments": '{"a":1}',
          "spring.ai.tool.call.result": '"r"',
        },
      },
      { a: 1 },
      "r",
    ],
    ["a vector store's query is text", { attributes: { "db.vector.query.content": "42" } }, "42", null],
    [
      "LiveKit's tool",
      {
        name: "function_tool",
        scope: "livekit-agents",
        attributes: { "lk.function_tool.arguments": '{"a":1}', "lk.function_tool.output": "r" },
      },
      { a: 1 },
      "r",
    ],
    [
      "LiveKit's tool with names that mark personal data",
      {
        name: "function_tool",
        scope: "livekit-agents",
        attributes: { "lk.pii.function_tool.arguments": '{"a":1}', "lk.pii.function_tool.output": "r" },
      },
      { a: 1 },
      "r",
    ],
    [
      "LiveKit's turn",
      {
        name: "agent_turn",
        scope: "livekit-agents",
        attributes: { "lk.user_input": "q", "lk.response.text": "a" },
      },
      "q",
      "a",
    ],
    [
      "LiveKit's turn with names that mark personal data",
      {
        name: "agent_turn",
        scope: "livekit-agents",
        attributes: { "lk.pii.user_input": "q", "lk.pii.response.text": "a" },
      },
      "q",
      "a",
    ],
    [
      "Haystack's component",
      { attributes: { "haystack.component.input": '{"query":"q"}', "haystack.component.output": '{"n":1}' } },
      { query: "q" },
      { n: 1 },
    ],
    [
      "Logfire's call of a model",
      {
        attributes: {
          ...llm,
          request_data: '{"messages":[{"role":"user","content":"q"}],"model":"m","temperature":0}',
          response_data: '{"message":{"role":"assistant","content":"a"},"usage":{"total_tokens":2}}',
        },
      },
      [{ role: "user", content: "q" }],
      "a",
    ],
    [
      "Logfire's call of a text model",
      {
        attributes: {
          ...llm,
          request_data: '{"prompt":"q","model":"m"}',
          response_data: '{"finish_reason":"stop","text":"a"}',
        },
      },
      { prompt: "q", model: "m" },
      "a",
    ],
    [
      "Logfire's streamed answer",
      { attributes: { ...llm, response_data: '{"combined_chunk_content":"a","chunk_count":2}' } },
      null,
      "a",
    ],
    [
      "Logfire's objects without a message say nothing",
      { attributes: { ...llm, request_data: '{"model":"m","stream":false}', response_data: '{"usage":{}}' } },
      null,
      null,
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

  test("an answer after reasoning or a web search of the Responses API is shown as text; the messages are kept", async () => {
    const thought = '{"type":"reasoning","summary":[{"type":"summary_text","text":"r"}]}';
    const searched = '{"type":"web_search_call","id":"ws","status":"completed"}';
    const said = '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}';
    const outputOf = async (kind: Record<string, string>) => {
      const value = `{"object":"response","output":[${thought},${searched},${said}]}`;
      const { output, otel } = await rowOf({ attributes: { ...kind, "output.value": value } });
      return [output, (otel.messages as { output?: unknown } | undefined)?.output];
    };
    const messages = [
      { role: "assistant", content: [{ type: "reasoning", text: "r" }] },
      { role: "assistant", content: [JSON.parse(searched)] },
      { role: "assistant", content: "a" },
    ];
    expect(await outputOf(agent)).toEqual(["a", messages]);
    expect(await outputOf(llm)).toEqual(["a", messages]);
  });

  test("an answer after an empty message or reasoning without a summary is shown as text", async () => {
    const said = '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}';
    const outputAfter = async (before: string) => {
      const value = `{"object":"response","output":[${before},${said}]}`;
      return (await rowOf({ attributes: { ...llm, "output.value": value } })).output;
    };
    expect(await outputAfter('{"type":"reasoning","id":"rs_1","summary":[]}')).toBe("a");
    expect(await outputAfter('{"type":"message","role":"assistant","content":[]}')).toBe("a");
  });

  test("a response that only holds reasoning without a summary is shown as it was sent", async () => {
    const value = '{"object":"response","output":[{"type":"reasoning","id":"rs_1","summary":[]}]}';
    const { output } = await rowOf({ attributes: { ...llm, "output.value": value } });
    expect(output).toEqual(JSON.parse(value));
  });

  test("instructions beside a system message of the conversation are shown, unless it repeats them (Logfire)", async () => {
    const inputOf = async (role: string, text: string) => {
      const messages = [
        { role, parts: [{ type: "text", content: text }] },
        { role: "user", parts: [{ type: "text", content: "q" }] },
      ];
      const attributes = { ...llm, "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]' };
      return (await rowOf({ attributes: { ...attributes, "gen_ai.input.messages": JSON.stringify(messages) } })).input;
    };
    const asked = { role: "user", content: "q" };
    const kind = { role: "developer", content: "Be kind." };
    expect(await inputOf("developer", "Be kind.")).toEqual([{ role: "system", content: "Be brief." }, kind, asked]);
    expect(await inputOf("system", "Be brief.")).toEqual([{ role: "system", content: "Be brief." }, asked]);
  });

  test("an agent shows the last question and the last answer; the conversation is stored separately", async () => {
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
    const messages = `[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"t","arguments":{"id":12345678901234567890,"p":1.50,"q":123456789.123456789,"r":0.00000015}}]}]`;
    const [call] = (await decodeJson(buildExport({ attributes: { ...llm, "gen_ai.output.messages": messages } })))
      .spans;
    expect(call?.output).toContain(
      '"arguments":{"id":12345678901234567890,"p":1.50,"q":123456789.123456789,"r":0.00000015}',
    );
  });

  test.each(["0.00000015", "-0.0000005", "1e-7", "1.0", "-0"])(
    "the number literal %s alone comes back as it was written",
    async (literal) => {
      const messages = `[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"t","arguments":{"p":${literal}}}]}]`;
      const [call] = (await decodeJson(buildExport({ attributes: { ...llm, "gen_ai.output.messages": messages } })))
        .spans;
      expect(call?.output).toContain(`"arguments":{"p":${literal}}`);
    },
  );

  test("JSON deeper than anyone could write out again stays text", async () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    expect((await rowOf({ attributes: { "mlflow.spanInputs": deep } })).input).toBe(deep);
    expect((await rowOf({ attributes: { "mlflow.spanInputs": `[1.0,${deep}]` } })).input).toBe(`[1.0,${deep}]`);
  });

  test("attributes that a conversation does not cover are kept", async () => {
    const state = '{"messages":[{"role":"user","content":"q"}],"documents":["d"]}';
    const row = await rowOf({ attributes: { "openinference.span.kind": "CHAIN", "input.value": state } });
    expect(row.input).toBe("q");
    expect(row.otel.attributes).toMatchObject({ "input.value": state });
  });
});
