import type { SpanKind } from "@touchstone/contracts";

/** Producers' other names for kinds (completions 2.5). */
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

/** Every kind by its name. A copy, because the schema and its imports are too heavy for a computing thread. */
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
 * The kind stated by a producer, by its name or an alias, trimmed and lowercased; null if the word is none of the
 * eleven kinds, which callers treat as "not stated" (completions 2.5).
 */
export function normaliseSpanKind(stated: string): SpanKind | null {
  return kindByName.get(stated.trim().toLowerCase()) ?? null;
}

/**
 * The kind of a span whose producer stated none (completions 2.5, last paragraph). Never null; the fallback is `chain`.
 */
export function guessSpanKind(span: { name: string; model: string | null; hasToolCalls: boolean }): SpanKind {
  if (span.model !== null && span.model !== "") return "llm";
  if (span.hasToolCalls) return "tool";
  const name = span.name.trim().toLowerCase();
  if (name.startsWith("llm call")) return "llm";
  if (name.startsWith("retriev")) return /\bmemor(y|ies)\b/.test(name) ? "memory" : "retrieval";
  if (name.startsWith("memory")) return "memory";
  return "chain";
}
