import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import { keyValues, type PlainValue } from "./otlp/build-export.ts";
import { useIngest } from "./running-ingest.ts";

const { ingest } = useIngest();

interface Sketch {
  id: string;
  parent?: string;
  name: string;
  attributes?: Record<string, PlainValue>;
  events?: { name: string; attributes: Record<string, PlainValue> }[];
}

/** One agent run: a model asks for the weather tool, gets its answer, and answers. 240 tokens in, 48 out. */
interface Run {
  scope: string;
  spans: Sketch[];
  root: Record<string, unknown>;
}

const question = "What is the weather in Paris?";
const answer = "It is 18 °C and sunny in Paris.";
const json = (value: unknown): string => JSON.stringify(value);
const usage = { "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 24 };

const adkCall = (parts: unknown, extra = {}) => ({
  "gen_ai.operation.name": "call_llm",
  "gcp.vertex.agent.llm_request": json({ model: "gemini", contents: [{ role: "user", parts: [{ text: question }] }] }),
  "gcp.vertex.agent.llm_response": json({
    content: { role: "model", parts },
    usage_metadata: { prompt_token_count: 120, candidates_token_count: 16, thoughts_token_count: 8 },
  }),
  "gen_ai.usage.input_tokens": 120,
  "gen_ai.usage.output_tokens": 16,
  ...extra,
});

const runs: Record<string, Run> = {
  // The root has no attribute at all, contents are blobs of requests, and output tokens leave the thoughts out.
  "Google ADK": {
    scope: "gcp.vertex.agent",
    spans: [
      { id: "1", name: "invocation" },
      {
        id: "2",
        parent: "1",
        name: "invoke_agent weather",
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "weather",
          "gen_ai.conversation.id": "sess-77",
        },
      },
      {
        id: "3",
        parent: "2",
        name: "call_llm",
        attributes: adkCall([{ functionCall: { id: "c1", name: "get_weather", args: { city: "Paris" } } }]),
      },
      {
        id: "4",
        parent: "2",
        name: "execute_tool get_weather",
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "get_weather",
          "gcp.vertex.agent.llm_request": "{}",
          "gcp.vertex.agent.tool_call_args": '{"city":"Paris"}',
          "gcp.vertex.agent.tool_response": '{"temperature":18}',
        },
      },
      { id: "5", parent: "2", name: "call_llm", attributes: adkCall([{ text: answer }]) },
    ],
    root: { name: "invocation", framework: "google-adk", input: question, output: answer, sessionId: "sess-77" },
  },
  // Contents are in events, encoded twice; old and new names of usage are on one span; the root repeats the sum.
  Strands: {
    scope: "strands.telemetry.tracer",
    spans: [
      {
        id: "1",
        name: "invoke_agent weather",
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "weather",
          "session.id": "sess-77",
          "user.id": "user-42",
          "gen_ai.usage.input_tokens": 240,
          "gen_ai.usage.prompt_tokens": 240,
          "gen_ai.usage.output_tokens": 48,
          "gen_ai.usage.completion_tokens": 48,
        },
        events: [
          { name: "gen_ai.user.message", attributes: { content: json([{ text: question }]) } },
          { name: "gen_ai.choice", attributes: { message: answer, finish_reason: "end_turn" } },
        ],
      },
      { id: "2", parent: "1", name: "execute_event_loop_cycle" },
      { id: "3", parent: "2", name: "chat", attributes: { "gen_ai.operation.name": "chat", ...usage } },
      {
        id: "4",
        parent: "2",
        name: "execute_tool get_weather",
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "get_weather",
          "gen_ai.tool.call.id": "c1",
        },
        events: [
          { name: "gen_ai.tool.message", attributes: { role: "tool", content: '{"city":"Paris"}', id: "c1" } },
          { name: "gen_ai.choice", attributes: { message: json([{ text: '{"temperature":18}' }]), id: "c1" } },
        ],
      },
      { id: "5", parent: "1", name: "chat", attributes: { "gen_ai.operation.name": "chat", ...usage } },
    ],
    root: { framework: "strands", input: question, output: answer, sessionId: "sess-77" },
  },
  // Usage is only on the innermost of five levels of spans.
  Mastra: {
    scope: "@mastra/otel",
    spans: [
      {
        id: "1",
        name: "invoke_agent weather",
        attributes: {
          "mastra.span.type": "agent_run",
          "gen_ai.agent.name": "weather",
          "mastra.agent_run.input": json([{ role: "user", content: question }]),
          "mastra.agent_run.output": json({ text: answer, files: [] }),
          "mastra.metadata.sessionId": "sess-77",
        },
      },
      { id: "2", parent: "1", name: "chat", attributes: { "mastra.span.type": "model_generation" } },
      { id: "3", parent: "2", name: "step 0", attributes: { "mastra.span.type": "model_step" } },
      { id: "4", parent: "3", name: "inference", attributes: { "mastra.span.type": "model_inference", ...usage } },
      {
        id: "5",
        parent: "3",
        name: "execute_tool get_weather",
        attributes: {
          "mastra.span.type": "tool_call",
          "gen_ai.tool.name": "get_weather",
          "mastra.tool_call.input": '{"city":"Paris"}',
          "mastra.tool_call.output": '{"temperature":18}',
        },
      },
      { id: "6", parent: "2", name: "step 1", attributes: { "mastra.span.type": "model_step" } },
      { id: "7", parent: "6", name: "inference", attributes: { "mastra.span.type": "model_inference", ...usage } },
    ],
    root: { framework: "mastra", input: question, output: answer, sessionId: "sess-77" },
  },
  // Every value is JSON text, strings too.
  MLflow: {
    scope: "mlflow.tracing",
    spans: [
      {
        id: "1",
        name: "weather",
        attributes: {
          "mlflow.spanType": '"AGENT"',
          "mlflow.spanInputs": json(question),
          "mlflow.spanOutputs": json(answer),
          "mlflow.trace.session": '"sess-77"',
        },
      },
      ...["2", "3"].map((id) => ({
        id,
        parent: "1",
        name: "call",
        attributes: {
          "mlflow.spanType": '"CHAT_MODEL"',
          "mlflow.llm.model": '"gpt-4.1-mini"',
          "mlflow.chat.tokenUsage": json({ input_tokens: 120, output_tokens: 24, total_tokens: 144 }),
        },
      })),
      {
        id: "4",
        parent: "1",
        name: "get_weather",
        attributes: {
          "mlflow.spanType": '"TOOL"',
          "mlflow.spanInputs": '{"city":"Paris"}',
          "mlflow.spanOutputs": '{"temperature":18}',
        },
      },
    ],
    root: { framework: "mlflow", input: question, output: answer, sessionId: "sess-77", model: "gpt-4.1-mini" },
  },
};

describe.each(Object.keys(runs))("an agent run of %s", (name) => {
  test("has one root with its question, answer, tool and tokens counted once", async () => {
    const run = runs[name] as Run;
    const projectId = uuidv7(Date.now());
    const sent = await ingest.call(projectId, "POST", "/api/v1/otel/v1/traces", { body: buildRun(run) });
    expect(sent.json).toEqual({});
    const { traces, totalCount } = (await ingest.call(projectId, "GET", "/api/v1/ingest/traces")).json;

    expect(totalCount).toBe(1);
    expect(traces[0]).toMatchObject({ name: "weather", inputTokens: 240, outputTokens: 48, ...run.root });
    expect(traces[0].toolCalls).toMatchObject([
      { name: "get_weather", input: { city: "Paris" }, output: { temperature: 18 }, success: true },
    ]);
  });
});

const startNano = 1_795_219_200_000_000_000n;

function buildRun({ scope, spans }: Run): string {
  const built = spans.map(({ id, parent, name, attributes, events }, at) => ({
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: id.padStart(16, "0"),
    ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, "0") }),
    name,
    startTimeUnixNano: String(startNano + BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(startNano + BigInt(at + 1) * 1_000_000n),
    attributes: keyValues(attributes),
    events: (events ?? []).map((event, place) => ({
      name: event.name,
      timeUnixNano: String(startNano + BigInt(place)),
      attributes: keyValues(event.attributes),
    })),
  }));
  return json({ resourceSpans: [{ scopeSpans: [{ scope: { name: scope }, spans: built }] }] });
}
