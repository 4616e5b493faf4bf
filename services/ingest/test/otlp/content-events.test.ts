import { describe, expect, test } from "vitest";
import { rowOf, type SpanSketch } from "./build-export.ts";

const llm = { "gen_ai.operation.name": "chat" };
const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather" };

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

  test("with their body in one attribute without a name (Logfire)", async () => {
    const row = await rowOf({
      attributes: llm,
      events: [
        { name: "gen_ai.user.message", attributes: { event_body: '{"content":"q","role":"user"}' } },
        {
          name: "gen_ai.choice",
          attributes: { event_body: '{"index":0,"message":{"role":"assistant","content":["a"]}}' },
        },
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

  test.each([
    '{"city":"Paris","temp":18}',
    '{"text":"Sunny.","structured_output":{"city":"Paris"}}',
    '["Paris","Rome"]',
    '[{"city":"Paris"}]',
    '{"name":"Ann","role":"Engineer"}',
    '{"name":"Ann","role":"user"}',
    '{"title":"t","content":"c"}',
    '{"role":"Engineer","content":"c"}',
    '{"refusal":true,"category":"x"}',
    "42\n",
  ])("answer with the text %s as it was sent, since it is neither a message nor parts", async (message) => {
    const row = await rowOf({ attributes: llm, events: [{ name: "gen_ai.choice", attributes: { message } }] });
    expect(row.output).toBe(message);
  });

  test.each([
    ['{"parts":[{"type":"text","content":"a"}]}', "a"],
    ['"a"', "a"],
    ["[]", ""],
    [
      '[{"reasoningContent":{}},{"text":"a"}]',
      { role: "assistant", content: [{ reasoningContent: {} }, { type: "text", text: "a" }] },
    ],
  ])("answer with the message or the parts that the text %s holds", async (message, output) => {
    const row = await rowOf({ attributes: llm, events: [{ name: "gen_ai.choice", attributes: { message } }] });
    expect(row.output).toEqual(output);
  });

  test("of a tool or an agent show an answer that is a JSON object (Strands)", async () => {
    const events = [{ name: "gen_ai.choice", attributes: { message: '{"city":"Paris","temp":18}' } }];
    expect((await rowOf({ attributes: tool, events })).output).toEqual({ city: "Paris", temp: 18 });
    const agent = { "gen_ai.operation.name": "invoke_agent" };
    expect((await rowOf({ attributes: agent, events })).output).toBe('{"city":"Paris","temp":18}');
  });

  test("may list the calls of tools as JSON texts (LiveKit Agents)", async () => {
    const called = '{"id":"c","type":"function","function":{"name":"t","arguments":"{\\"a\\":1}"}}';
    const row = await rowOf({
      attributes: llm,
      events: [{ name: "gen_ai.choice", attributes: { role: "assistant", tool_calls: [called, "none"] } }],
    });
    const call = { id: "c", name: "t", arguments: { a: 1 } };
    expect(row.output).toEqual({ role: "assistant", content: "", tool_calls: [call] });
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

describe("messages in a list of events", () => {
  const user = { "event.name": "gen_ai.user.message", content: "q" };
  const said = (content: string) => ({ "event.name": "gen_ai.assistant.message", role: "assistant", content });
  const rowWith = (events: object[]) => rowOf({ attributes: { ...llm, events: JSON.stringify(events) } });

  test("end with the answer if there is no choice (Logfire, Responses API)", async () => {
    const request = '{"model":"m","stream":false}';
    const events = JSON.stringify([user, said("first"), user, said("a")]);
    const row = await rowOf({ attributes: { ...llm, request_data: request, events } });
    const asked = { role: "user", content: "q" };
    expect(row).toMatchObject({ input: [asked, { role: "assistant", content: "first" }, asked], output: "a" });
  });

  test("have no answer if the user spoke last", async () => {
    expect((await rowWith([user, said("first"), user])).output).toBeNull();
  });

  test("need no name (Logfire, Google's SDK)", async () => {
    const image = { inline_data: { mime_type: "image/png", data: "MTIz" } };
    const row = await rowWith([
      { content: "Be brief.", role: "system" },
      { content: "q", role: "user" },
      { content: image, role: "user" },
      { index: 0, finish_reason: "STOP", message: { role: "assistant", content: ["a"] } },
    ]);
    expect(row.input).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "q" },
      { role: "user", content: [image] },
    ]);
    expect(row.output).toBe("a");
  });

  test("without content are shown as they were sent (Logfire, Google's SDK)", async () => {
    const row = await rowWith([
      { content: "<elided>", role: "user" },
      { index: 0, content: "<elided>", finish_reason: "STOP" },
    ]);
    expect(row).toMatchObject({ input: [{ role: "user", content: "<elided>" }], output: "<elided>" });
  });

  test("are none if they have neither a role nor a reason to finish", async () => {
    expect(await rowWith([{ content: "q" }, { role: "narrator", content: "a" }])).toMatchObject({
      input: null,
      output: null,
    });
  });

  test("keep the assistant's messages among the prompts beside a choice", async () => {
    const choice = { "event.name": "gen_ai.choice", message: { role: "assistant", content: "a" } };
    const row = await rowWith([user, said("first"), choice]);
    expect(row.input).toEqual([
      { role: "user", content: "q" },
      { role: "assistant", content: "first" },
    ]);
    expect(row.output).toBe("a");
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
      "Dify",
      {
        attributes: {
          "gen_ai.span.kind": "RETRIEVER",
          "retrieval.document": '[{"document":{"id":"d","content":"c","score":0.9,"metadata":{"s":1}}}]',
          "output.value": '{"documents":[{"content":"another form"}]}',
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

  test("of Dify are shown with the query, not with the whole request", async () => {
    const attributes = {
      "gen_ai.span.kind": "RETRIEVER",
      "retrieval.query": "q",
      "input.value": '{"query":"q","k":1}',
    };
    expect((await rowOf({ attributes })).input).toBe("q");
  });

  test("that are no documents are stored as they are", async () => {
    const row = await rowOf({
      attributes: { "langfuse.observation.type": "retriever", "langfuse.observation.output": '["a","b"]' },
    });
    expect(row.output).toEqual(["a", "b"]);
  });
});
