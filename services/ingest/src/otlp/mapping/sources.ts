/**
 * The sources of each field of a span: one ordered list per field, first hit wins (otlp 5.3). A renamed attribute is
 * one new line here. Order within a list: Touchstone's names, then vendors before generic conventions (langfuse,
 * openinference, langsmith, mastra, mlflow, genkit, traceloop, lmnr, gen_ai newest name first, ai.*), since a vendor's
 * own names are more exact than its generic ones.
 *
 * The kind is in map-span-kind.ts, tokens in tokens.ts, input and output in content-sources.ts.
 */

/** A source of one text or JSON value. A plain string is the attribute of that name. */
export type Source =
  | string
  /** A member of the JSON object in an attribute. */
  | { readonly attribute: string; readonly member: string }
  /** An attribute of the resource. */
  | { readonly resource: string; readonly scope?: string }
  /** An attribute whose name means this only on spans of one scope, or beside another attribute (of these values). */
  | { readonly attribute: string; readonly scope: string }
  | { readonly attribute: string; readonly beside: string; readonly being?: readonly string[] }
  /** The same beside any attribute whose name begins like this. */
  | { readonly attribute: string; readonly besidePrefix: string };

/** The name of an agent, as its own span states it. */
export const agentNameSources: readonly Source[] = [
  "agent.name",
  "graph.node.name",
  "traceloop.entity.name",
  "traceloop.workflow.name",
  "gen_ai.agent.name",
  "gen_ai.workflow.name",
  "ai.telemetry.functionId",
  "agent_name",
];

/** The same for a root, where the name of the trace comes first. */
export const rootNameSources: readonly Source[] = ["langfuse.trace.name", "langsmith.trace.name", ...agentNameSources];

/** The agent that a span other than an agent's belongs to; there, the names above would be the span's own. */
export const memberAgentNameSources: readonly Source[] = ["agent.name", "gen_ai.agent.name", "agent_name"];

/** On Codex's span of a turn. */
export const codexTurn = "codex.turn.reasoning_effort";

export const toolNameSources: readonly Source[] = [
  "gen_ai.tool.name",
  "tool.name",
  "ai.toolCall.name",
  "spring.ai.tool.definition.name",
  "lk.function_tool.name",
  { attribute: "tool_name", beside: "call_id" },
  { attribute: "tool", beside: "parameters" },
  { attribute: "traceloop.entity.name", beside: "traceloop.span.kind" },
];

export const toolCallIdSources: readonly Source[] = [
  "gen_ai.tool.call.id",
  "ai.toolCall.id",
  "tool_call.id",
  "lk.function_tool.id",
  { attribute: "call_id", beside: "tool_name" },
];

export const modelSources: readonly Source[] = [
  "langfuse.observation.model.name",
  "llm.response.model_name",
  "llm.model_name",
  "embedding.model_name",
  "reranker.model_name",
  "mlflow.llm.model",
  { attribute: "genkit:name", beside: "genkit:metadata:subtype", being: ["model", "background-model", "embedder"] },
  "gen_ai.response.model",
  "gen_ai.request.model",
  "ai.response.model",
  "ai.model.id",
  { attribute: "model", scope: "com.anthropic.claude_code" },
  { attribute: "model_name", beside: "agent_name" },
  { attribute: "model", beside: codexTurn },
];

export const sessionSources: readonly Source[] = [
  "touchstone.session_id",
  "langfuse.session.id",
  "session.id",
  "langsmith.metadata.session_id",
  "langsmith.metadata.thread_id",
  "langsmith.metadata.conversation_id",
  "langsmith.trace.session_id",
  "mastra.metadata.sessionId",
  "mastra.metadata.threadId",
  "mlflow.trace.session",
  "genkit:sessionId",
  "traceloop.association.properties.session_id",
  "traceloop.association.properties.thread_id",
  "traceloop.association.properties.chat_id",
  "traceloop.association.properties.conversation_id",
  "lmnr.association.properties.session_id",
  "spring.ai.chat.client.conversation.id",
  "gen_ai.conversation.id",
  "gen_ai.session.id",
  "gcp.vertex.agent.session_id",
  "ai.telemetry.metadata.sessionId",
  "ai.telemetry.metadata.session_id",
  "ai.telemetry.metadata.threadId",
  { attribute: "metadata", member: "session_id" },
  { attribute: "metadata", member: "thread_id" },
  { resource: "session.id" },
  // Traceloop's SDK writes associations without a prefix.
  { attribute: "session_id", besidePrefix: "traceloop." },
  { attribute: "conversation_id", besidePrefix: "traceloop." },
  { attribute: "thread.id", beside: codexTurn },
];

export const userSources: readonly Source[] = [
  // Claude Code writes a hash of the machine over the resource's user id on every span.
  { resource: "user.id", scope: "com.anthropic.claude_code" },
  "langfuse.user.id",
  "user.id",
  "langsmith.metadata.user_id",
  "mastra.metadata.userId",
  "mastra.metadata.resourceId",
  "mlflow.trace.user",
  "traceloop.association.properties.user_id",
  "lmnr.association.properties.user_id",
  "gen_ai.user.id",
  "enduser.id",
  "ai.telemetry.metadata.userId",
  "ai.telemetry.metadata.user_id",
  "metadata.user_api_key_user_id",
  "llm.user",
  { attribute: "metadata", member: "user_id" },
  { resource: "user.id" },
  { attribute: "user_id", besidePrefix: "traceloop." },
];

export const environmentSources: readonly Source[] = [
  "langfuse.environment",
  "deployment.environment.name",
  "deployment.environment",
  { resource: "deployment.environment.name" },
  { resource: "deployment.environment" },
];

export const tagSources: readonly Source[] = [
  "langfuse.trace.tags",
  "tag.tags",
  "langsmith.span.tags",
  "mastra.tags",
  "lmnr.association.properties.tags",
  "ai.telemetry.metadata.tags",
  "logfire.tags",
];

export const versionSources: readonly Source[] = [
  "touchstone.version",
  "langfuse.version",
  "gen_ai.agent.version",
  "service.version",
  { resource: "touchstone.version" },
  { resource: "service.version" },
];

export const releaseSources: readonly Source[] = ["langfuse.release"];

export const promptNameSources: readonly Source[] = [
  "touchstone.prompt_name",
  "langfuse.observation.prompt.name",
  "prompt.id",
  "langsmith.metadata.lc_hub_repo",
  "traceloop.prompt.key",
  "gen_ai.prompt.name",
  { attribute: "ai.telemetry.metadata.langfusePrompt", member: "name" },
];

export const promptVersionSources: readonly Source[] = [
  "langfuse.observation.prompt.version",
  "llm.prompt_template.version",
  "langsmith.metadata.lc_hub_commit_hash",
  "traceloop.prompt.version",
  "gen_ai.prompt.version",
  { attribute: "ai.telemetry.metadata.langfusePrompt", member: "version" },
];

export const providerSources: readonly Source[] = [
  "llm.provider",
  "llm.system",
  "langsmith.metadata.ls_provider",
  "mlflow.llm.provider",
  "gen_ai.provider.name",
  "gen_ai.system",
  "ai.model.provider",
];

/** Producers without a specific scope are recognised by the provider or service they name. */
export const frameworkSources: readonly Source[] = ["gen_ai.provider.name", "gen_ai.system", "llm.system"];

export const responseIdSources: readonly Source[] = ["gen_ai.response.id", "ai.response.id", "llm.response.id"];

export const reportedCostSources: readonly Source[] = [
  { attribute: "langfuse.observation.cost_details", member: "total" },
  "llm.cost.total",
  { attribute: "mlflow.llm.cost", member: "total_cost" },
  "gen_ai.usage.cost",
  "gen_ai.cost.total_cost",
  "operation.cost",
  { attribute: "cost_usd", scope: "com.anthropic.claude_code" },
];

/** Whole objects of the producer's metadata, merged into `metadata`. */
export const metadataObjectSources: readonly string[] = ["metadata"];

/** Families of single metadata entries: the rest of the name is the entry's name. */
export const metadataPrefix =
  /^(?:langfuse\.(?:trace|observation)\.metadata|langsmith\.metadata|mastra\.metadata|traceloop\.association\.properties|lmnr\.association\.properties(?:\.metadata)?|ai\.telemetry\.metadata|ai\.settings\.context)\./;

/** Entries of those families that are not metadata: environment variables, transport details, copies of the payload. */
export const metadataNoise =
  /^(?:langsmith\.metadata\.(?:LANGSMITH_.*|usage_metadata|ls_invocation_params)|mastra\.metadata\.(?:headers|body)|lmnr\.association\.properties\.(?:trace_type|tracing_level)|ai\.telemetry\.metadata\.(?:tags|langfusePrompt))$/;

/** The framework of a span by its scope's lowercased name. First match wins. */
export const scopeFrameworks: readonly (readonly [RegExp, string])[] = [
  [/^(?:ai|gen_ai)$/, "vercel-ai"],
  [/langchain/, "langchain"],
  [/llama[-_.]?index/, "llamaindex"],
  [/openai[-_.]?agents/, "openai-agents"],
  [/crewai/, "crewai"],
  [/^strands/, "strands"],
  [/^gcp\.vertex\.agent/, "google-adk"],
  [/^@mastra\//, "mastra"],
  [/^com\.anthropic\.claude_code/, "claude-agent-sdk"],
  [/^pydantic[-_]ai/, "pydantic-ai"],
  [/^langfuse-sdk/, "langfuse"],
  [/^lmnr[.]/, "laminar"],
  [/^langsmith/, "langsmith"],
  [/^genkit-tracer/, "genkit"],
  [/^(?:microsoft\.agents\.ai|agent_framework$)/, "microsoft-agent-framework"],
  [/^(?:microsoft\.semantickernel|semantic_kernel\.)/, "semantic-kernel"],
  [/^litellm/, "litellm"],
  [/^mlflow/, "mlflow"],
  [/^codex[-_]/, "codex"],
];
