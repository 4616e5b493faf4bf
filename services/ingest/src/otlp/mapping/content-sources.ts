import type { SpanKind } from "@touchstone/contracts";

/**
 * A source of a span's input or output. The lists below are in order, first hit wins (otlp 5.3); the order is that of
 * sources.ts: vendors before generic conventions.
 */
export interface ContentSource {
  /** An attribute, an indexed family of messages, an attribute of an event, or a composition of several. */
  readonly from: "attribute" | "family" | "event" | "composed";
  readonly name: string;
  /** How to read an attribute; null = JSON text is parsed, anything else is used as it is. */
  readonly form: ContentForm | null;
  /** Only on spans that also carry this attribute, whose value replaces `*` in the name. */
  readonly beside: string | null;
  readonly kind: SpanKind | null;
  readonly rootOnly: boolean;
  /** The event that carries the attribute. */
  readonly event: string | null;
  /** The role of a family's messages that state none. */
  readonly role: string | null;
}

function source(from: ContentSource["from"], name: string, more: Partial<ContentSource> = {}): ContentSource {
  return { from, name, form: null, beside: null, kind: null, rootOnly: false, event: null, role: null, ...more };
}

function attribute(name: string, more: Partial<ContentSource> = {}): ContentSource {
  return source("attribute", name, more);
}

function family(name: string, more: Partial<ContentSource> = {}): ContentSource {
  return source("family", name, more);
}

function eventAttribute(event: string, name: string): ContentSource {
  return source("event", name, { event });
}

function composed(name: "prompt events" | "choice events" | "vercel response" | "function parameters"): ContentSource {
  return source("composed", name);
}

/**
 * - `text`: never parsed, it is plain text.
 * - `mime`: according to the attribute's `mime_type` neighbour.
 * - `typed`: according to its `type` neighbour, a type of Python.
 * - `arguments`: Traceloop's `{args, kwargs}`; a single argument is unwrapped, none at all is nothing.
 * - `unwrapped`: LangSmith's `{input: x}` and `{outputs: x}` around a bare value.
 * - `result`: `{text}` of an agent run is its text.
 * - `list`: a list whose items are JSON text.
 * - `before answer`, `answer`: a whole conversation up to the last user turn, and the messages after it.
 * - `prompts`, `choices`: a list of GenAI events, the requests and the answers.
 * - `request`, `response`: Logfire's objects around a call, if they hold what was asked or answered.
 */
export type ContentForm =
  | "text"
  | "mime"
  | "typed"
  | "arguments"
  | "unwrapped"
  | "result"
  | "list"
  | "before answer"
  | "answer"
  | "prompts"
  | "choices"
  | "request"
  | "response";

export const inputSources: readonly ContentSource[] = [
  attribute("langfuse.trace.input", { rootOnly: true }),
  attribute("langfuse.observation.input"),
  attribute("reranker.query", { form: "text" }),
  attribute("retrieval.query", { form: "text", kind: "retrieval" }),
  family("llm.input_messages"),
  attribute("input.value", { form: "mime" }),
  attribute("gen_ai.prompt", { form: "unwrapped", beside: "langsmith.span.kind" }),
  attribute("mastra.*.input", { beside: "mastra.span.type" }),
  attribute("mlflow.spanInputs"),
  attribute("genkit:input"),
  family("gen_ai.prompt", { role: "user" }),
  attribute("traceloop.entity.input", { form: "arguments" }),
  attribute("lmnr.span.input"),
  attribute("spring.ai.tool.call.arguments"),
  attribute("gen_ai.tool.call.arguments"),
  attribute("gen_ai.input.messages"),
  attribute("gen_ai.retrieval.query.text", { form: "text" }),
  attribute("db.vector.query.content", { form: "text", kind: "retrieval" }),
  attribute("gen_ai.memory.query.text", { form: "text" }),
  composed("prompt events"),
  eventAttribute("gen_ai.content.prompt", "gen_ai.prompt"),
  eventAttribute("gen_ai.content.prompt", "gen_ai.event.content"),
  attribute("gen_ai.prompt"),
  attribute("gcp.vertex.agent.tool_call_args", { kind: "tool" }),
  attribute("gcp.vertex.agent.llm_request"),
  attribute("ai.prompt.messages"),
  attribute("ai.prompt"),
  attribute("ai.toolCall.args"),
  attribute("ai.value"),
  attribute("ai.values", { form: "list" }),
  attribute("pydantic_ai.all_messages", { form: "before answer" }),
  attribute("all_messages_events", { form: "before answer" }),
  attribute("tool_arguments"),
  attribute("request_data", { form: "request" }),
  attribute("events", { form: "prompts" }),
  attribute("user_prompt", { form: "text" }),
  attribute("lk.pii.user_input", { form: "text" }),
  attribute("lk.user_input", { form: "text" }),
  attribute("lk.pii.function_tool.arguments", { kind: "tool" }),
  attribute("lk.function_tool.arguments", { kind: "tool" }),
  composed("function parameters"),
  attribute("parameters", { kind: "tool", beside: "tool" }),
  attribute("prompt"),
  attribute("haystack.pipeline.input_data"),
  attribute("haystack.component.input"),
  attribute("haystack.agent.input"),
];

export const outputSources: readonly ContentSource[] = [
  attribute("langfuse.trace.output", { rootOnly: true }),
  attribute("langfuse.observation.output"),
  family("llm.output_messages"),
  attribute("output.value", { form: "mime" }),
  attribute("gen_ai.completion", { form: "unwrapped", beside: "langsmith.span.kind" }),
  attribute("mastra.*.output", { form: "result", beside: "mastra.span.type" }),
  attribute("mlflow.spanOutputs"),
  attribute("genkit:output"),
  family("gen_ai.completion", { role: "assistant" }),
  attribute("traceloop.entity.output"),
  attribute("lmnr.span.output"),
  attribute("spring.ai.tool.call.result"),
  attribute("gen_ai.tool.call.result"),
  attribute("gen_ai.output.messages"),
  attribute("gen_ai.memory.records"),
  composed("choice events"),
  eventAttribute("gen_ai.content.completion", "gen_ai.completion"),
  eventAttribute("gen_ai.content.completion", "gen_ai.event.content"),
  attribute("gen_ai.completion"),
  attribute("gcp.vertex.agent.tool_response", { kind: "tool" }),
  attribute("gcp.vertex.agent.llm_response"),
  composed("vercel response"),
  attribute("ai.toolCall.result"),
  attribute("final_result"),
  attribute("pydantic_ai.all_messages", { form: "answer" }),
  attribute("all_messages_events", { form: "answer" }),
  attribute("tool_response"),
  attribute("response_data", { form: "response" }),
  attribute("events", { form: "choices" }),
  attribute("lk.pii.function_tool.output", { kind: "tool" }),
  attribute("lk.function_tool.output", { kind: "tool" }),
  attribute("lk.pii.response.text", { form: "text" }),
  attribute("lk.response.text", { form: "text" }),
  attribute("code.function.return.value", { kind: "tool", form: "typed" }),
  attribute("haystack.component.output"),
  attribute("haystack.agent.output"),
];

/** A source of the documents of a retrieval or reranker span (otlp 5.3, retrieval docs). */
export type DocumentSource =
  | { readonly family: string }
  | { readonly attribute: string }
  | { readonly event: string; readonly prefix: string };

export const documentSources: readonly DocumentSource[] = [
  { attribute: "langfuse.observation.output" },
  { family: "reranker.output_documents" },
  { family: "retrieval.documents" },
  { attribute: "retrieval.document" },
  { attribute: "gen_ai.retrieval.documents" },
  { attribute: "mlflow.spanOutputs" },
  { attribute: "genkit:output" },
  { attribute: "output.value" },
  { attribute: "gen_ai.completion" },
  { event: "db.query.result", prefix: "db.query.result." },
  { attribute: "ai.ranking" },
];

/** Sources of the tools offered to a model (otlp 5.3, tool definitions). */
export const toolDefinitionSources: readonly (
  | { readonly attribute: string; readonly member?: string }
  | { readonly family: string }
)[] = [
  { attribute: "langfuse.observation.input", member: "tools" },
  { family: "llm.tools" },
  { attribute: "mlflow.chat.tools" },
  { family: "llm.request.functions" },
  { attribute: "gen_ai.tool.definitions" },
  { attribute: "ai.prompt.tools" },
  { attribute: "gen_ai.agent.tools" },
];
