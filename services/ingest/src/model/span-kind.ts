import type { SpanKind } from "@touchstone/contracts";

/** The other names producers use for a kind (completions 2.5). */
const aliases: Readonly<Record<string, SpanKind>> = {
  retriever: "retrieval",
  retrieve: "retrieval",
  generation: "llm",
  chat: "llm",
  text_completion: "llm",
  completion: "llm",
  chat_model: "llm",
  generate_content: "llm",
  execute_tool: "tool",
  function: "tool",
  invoke_agent: "agent",
  create_agent: "agent",
  embeddings: "embedding",
  memory_read: "memory",
  memory_write: "memory",
  "memory-read": "memory",
  "memory-write": "memory",
  memory_search: "memory",
  memory_store: "memory",
  memory_update: "memory",
  memory_retrieval: "memory",
  memory_recall: "memory",
  memory_add: "memory",
  memory_delete: "memory",
  add_memory: "memory",
  get_memory: "memory",
  recall: "memory",
  parser: "chain",
  unknown: "chain",
};

/** Every kind by its own name, written down here: the schema, with all it loads, is not for a computing thread. */
const kinds: Readonly<Record<SpanKind, SpanKind>> = {
  agent: "agent",
  llm: "llm",
  tool: "tool",
  retrieval: "retrieval",
  chain: "chain",
  embedding: "embedding",
  reranker: "reranker",
  guardrail: "guardrail",
  evaluator: "evaluator",
  prompt: "prompt",
  memory: "memory",
};

const kindByName: ReadonlyMap<string, SpanKind> = new Map(Object.entries({ ...aliases, ...kinds }));

/**
 * The kind a producer stated, by its own name or an alias, trimmed and lowercased; null when the word means none of
 * the eleven, which callers treat as "not stated" (completions 2.5).
 */
export function normaliseSpanKind(stated: string): SpanKind | null {
  return kindByName.get(stated.trim().toLowerCase()) ?? null;
}

/** The kind of a span whose producer stated none (completions 2.5, last paragraph). Never null: the last resort is `chain`. */
export function guessSpanKind(span: { name: string; model: string | null; hasToolCalls: boolean }): SpanKind {
  if (span.model !== null && span.model !== "") return "llm";
  if (span.hasToolCalls) return "tool";
  const name = span.name.trim().toLowerCase();
  if (name.startsWith("llm call")) return "llm";
  if (name.startsWith("retriev")) return /\bmemor(y|ies)\b/.test(name) ? "memory" : "retrieval";
  if (name.startsWith("memory")) return "memory";
  return "chain";
}
