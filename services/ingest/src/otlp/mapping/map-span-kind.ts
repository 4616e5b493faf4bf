import type { SpanKind } from "@touchstone/contracts";
import { normaliseSpanKind } from "../../model/span-kind.ts";
import { codexTurn } from "./sources.ts";
import type { SpanFacts } from "./span-facts.ts";
import { reportsTokens } from "./tokens.ts";

/** One attribute that states a kind in a vendor's words. Unlisted words are ignored. */
interface StatedKind {
  readonly attribute: string;
  /** Words are compared lowercased and without JSON quotes. */
  readonly kinds: Readonly<Record<string, SpanKind>>;
  readonly scope?: string;
}

const openInferenceKinds: Readonly<Record<string, SpanKind>> = {
  llm: "llm",
  embedding: "embedding",
  chain: "chain",
  retriever: "retrieval",
  reranker: "reranker",
  tool: "tool",
  agent: "agent",
  guardrail: "guardrail",
  evaluator: "evaluator",
  prompt: "prompt",
};

/** Vendors before the generic names, because a vendor's own word is exact where its generic one may be wrong (otlp 5.2). */
const statedKinds: readonly StatedKind[] = [
  {
    attribute: "langfuse.observation.type",
    kinds: {
      generation: "llm",
      retriever: "retrieval",
      agent: "agent",
      tool: "tool",
      chain: "chain",
      embedding: "embedding",
      evaluator: "evaluator",
      guardrail: "guardrail",
    },
  },
  { attribute: "openinference.span.kind", kinds: openInferenceKinds },
  {
    // LangSmith labels its retrievers with the operation "embeddings", so this must come before the operation name.
    attribute: "langsmith.span.kind",
    kinds: {
      retriever: "retrieval",
      llm: "llm",
      tool: "tool",
      chain: "chain",
      prompt: "prompt",
      parser: "chain",
      embedding: "embedding",
    },
  },
  { attribute: "traceloop.span.kind", kinds: { workflow: "chain", task: "chain", agent: "agent", tool: "tool" } },
  {
    // A span of the type DEFAULT may be anything.
    attribute: "lmnr.span.type",
    kinds: { llm: "llm", tool: "tool", evaluator: "evaluator", executor: "chain", evaluation: "chain" },
  },
  {
    attribute: "mastra.span.type",
    kinds: {
      agent_run: "agent",
      tool_call: "tool",
      mcp_tool_call: "tool",
      client_tool_call: "tool",
      llm_generation: "llm",
      model_inference: "llm",
      model_generation: "chain",
      model_step: "chain",
      model_chunk: "chain",
      workflow_run: "chain",
      workflow_step: "chain",
      workflow_conditional: "chain",
      workflow_conditional_eval: "chain",
      workflow_parallel: "chain",
      workflow_loop: "chain",
      workflow_sleep: "chain",
      workflow_wait_event: "chain",
      processor_run: "guardrail",
      scorer_run: "evaluator",
      memory_operation: "memory",
      rag_embedding: "embedding",
      generic: "chain",
    },
  },
  {
    attribute: "mlflow.spanType",
    kinds: {
      agent: "agent",
      tool: "tool",
      llm: "llm",
      chat_model: "llm",
      retriever: "retrieval",
      embedding: "embedding",
      reranker: "reranker",
      parser: "chain",
      chain: "chain",
      memory: "memory",
      guardrail: "guardrail",
      evaluator: "evaluator",
      workflow: "chain",
      task: "chain",
    },
  },
  {
    attribute: "genkit:metadata:subtype",
    kinds: {
      model: "llm",
      "background-model": "llm",
      embedder: "embedding",
      tool: "tool",
      retriever: "retrieval",
      reranker: "reranker",
      evaluator: "evaluator",
      prompt: "prompt",
      flow: "chain",
    },
  },
  // A vector store adds and deletes as well, so the heuristics decide.
  { attribute: "spring.ai.kind", kinds: { tool_call: "tool", chat_client: "chain", advisor: "chain" } },
  {
    attribute: "span.type",
    scope: "com.anthropic.claude_code",
    kinds: { interaction: "agent", llm_request: "llm", tool: "tool", "tool.execution": "tool", hook: "chain" },
  },
];

const operationKinds: Readonly<Record<string, SpanKind>> = {
  chat: "llm",
  text_completion: "llm",
  completion: "llm",
  generate_content: "llm",
  generate: "llm",
  responses: "llm",
  embeddings: "embedding",
  invoke_agent: "agent",
  create_agent: "agent",
  execute_tool: "tool",
  retrieval: "retrieval",
  rerank: "reranker",
  invoke_workflow: "chain",
  plan: "chain",
  agent_step: "chain",
  model_step: "chain",
  model_generation: "chain",
  model_chunk: "chain",
};

/** The words of `gen_ai.span.kind` (Dify, Alibaba ARMS, VeADK, AgentScope). */
const genAiSpanKinds: Readonly<Record<string, SpanKind>> = {
  llm: "llm",
  embedding: "embedding",
  retriever: "retrieval",
  reranker: "reranker",
  tool: "tool",
  agent: "agent",
  chain: "chain",
  workflow: "chain",
  task: "chain",
};

const requestTypeKinds: Readonly<Record<string, SpanKind>> = {
  chat: "llm",
  completion: "llm",
  embedding: "embedding",
  rerank: "reranker",
};

/** By the class of the component. */
const haystackComponents: readonly (readonly [RegExp, SpanKind])[] = [
  [/Generator$/, "llm"],
  [/Embedder$/, "embedding"],
  [/Retriever$/, "retrieval"],
  [/Ranker$/, "reranker"],
];

/** Effect AI calls each tool so, and names it in an attribute. */
const effectToolSpan = "Toolkit.handle";

/** The kind of a span; the fallback is `chain` (otlp 5.2). */
export function mapSpanKind(facts: SpanFacts): SpanKind {
  if (isSecondView(facts)) return "chain";
  return (
    readStatedKind(facts) ??
    readOperation(facts) ??
    readVercelOperation(facts) ??
    readGenAiSpanKind(facts) ??
    guessKind(facts) ??
    "chain"
  );
}

/**
 * A span whose usage another one has as well, and must never count: LiteLLM's raw request repeats the request around it, and
 * Codex states the usage of a turn's model calls without a model, and their sum with the model on the turn.
 */
export function isSecondView(facts: SpanFacts): boolean {
  if (facts.value("codex.request.reasoning_effort") !== undefined) return true;
  return facts.scope.name === "litellm" && facts.span.name === "raw_gen_ai_request";
}

function readStatedKind(facts: SpanFacts): SpanKind | null {
  for (const { attribute, kinds, scope } of statedKinds) {
    const word = facts.text(attribute);
    if (word === undefined || (scope !== undefined && !facts.scope.name.startsWith(scope))) continue;
    const kind = lookUpKind(kinds, word.replaceAll('"', ""));
    if (kind === null) continue;
    return kind === "llm" && attribute === "langfuse.observation.type" && isEmbeddingModel(facts) ? "embedding" : kind;
  }
  return null;
}

/** The Langfuse wrapper of the OpenAI client reports embeddings as generations. */
function isEmbeddingModel(facts: SpanFacts): boolean {
  return facts.text("langfuse.observation.model.name")?.includes("embed") ?? false;
}

function readOperation(facts: SpanFacts): SpanKind | null {
  const operation = facts.text("gen_ai.operation.name")?.trim().toLowerCase();
  if (operation === undefined) return null;
  const known = lookUpKind(operationKinds, operation);
  if (known !== null) return known;
  if (/(?:^|_)memory(?:_|$)/.test(operation)) return "memory";
  if (operation.startsWith("evaluat")) return "evaluator";
  if (operation.startsWith("guardrail")) return "guardrail";
  return normaliseSpanKind(operation);
}

function readVercelOperation(facts: SpanFacts): SpanKind | null {
  const operation = facts.text("ai.operationId") ?? facts.text("operation.name")?.split(" ", 1)[0];
  if (operation === undefined || !operation.startsWith("ai.")) return null;
  if (operation === "ai.toolCall") return "tool";
  if (/\.do(?:Generate|Stream)$/.test(operation)) return "llm";
  if (/^ai\.embed|\.doEmbed$/.test(operation)) return "embedding";
  if (operation.startsWith("ai.rerank")) return "reranker";
  return /^ai\.(?:generate|stream)/.test(operation) ? "agent" : null;
}

function readGenAiSpanKind(facts: SpanFacts): SpanKind | null {
  const word = facts.text("gen_ai.span.kind");
  return word === undefined ? null : lookUpKind(genAiSpanKinds, word);
}

/** Guesses the kind from the span's attributes if none is stated. */
function guessKind(facts: SpanFacts): SpanKind | null {
  const has = (key: string) => facts.value(key) !== undefined;
  if (has("gen_ai.tool.name") || has("tool.name") || has("tool_arguments")) return "tool";
  if (isRetrieval(facts)) return "retrieval";
  if (has("tool_name") && has("call_id")) return "tool";
  if ((has("agent_name") && has("model_name")) || has(codexTurn)) return "agent";
  const requestType = facts.text("llm.request.type");
  if (requestType !== undefined) {
    const kind = lookUpKind(requestTypeKinds, requestType);
    if (kind !== null) return kind;
  }
  if ((facts.text("gcp.vertex.agent.llm_request") ?? "{}") !== "{}") return "llm";
  if (has("gen_ai.request.model") || has("llm.model_name") || reportsTokens(facts)) return "llm";
  if (facts.text("mcp.method.name") === "tools/call") return "tool";
  if (facts.span.name === effectToolSpan && has("tool")) return "tool";
  const component = facts.text("haystack.component.type");
  if (component !== undefined) return haystackComponents.find(([ending]) => ending.test(component))?.[1] ?? null;
  if (facts.span.name === "haystack.agent.run") return "agent";
  if (facts.span.name === "haystack.agent.step.llm") return "llm";
  if (facts.scope.name.includes("livekit")) {
    if (facts.span.name === "agent_turn") return "agent";
    if (facts.span.name === "function_tool") return "tool";
  }
  return null;
}

function isRetrieval(facts: SpanFacts): boolean {
  return (
    facts.value("gen_ai.retrieval.query.text") !== undefined ||
    facts.family("retrieval.documents") !== null ||
    facts.events("db.query.result").length > 0 ||
    facts.hasPrefix("db.vector.")
  );
}

function lookUpKind(kinds: Readonly<Record<string, SpanKind>>, word: string): SpanKind | null {
  const name = word.trim().toLowerCase();
  return Object.hasOwn(kinds, name) ? (kinds[name] as SpanKind) : null;
}
