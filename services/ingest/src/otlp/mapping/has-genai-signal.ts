import type { ReceivedScope, ReceivedSpan } from "../wire/received-span.ts";
import { scopeFrameworks } from "./sources.ts";

/** How the attributes of every convention of otlp 5 begin. */
const signalPrefix =
  /^(?:gen_ai|llm|ai|langfuse|openinference|langsmith|traceloop|lmnr|mastra|mlflow|genkit|pydantic_ai|gcp\.vertex\.agent|lk|embedding|reranker|retrieval|mcp|db\.vector|touchstone)[.:]/;
const signalNames: ReadonlySet<string> = new Set(["agent_name", "model_name", "tool_arguments", "input.value"]);

/** Whether a span tells of a model, an agent or a tool, by its scope, attributes or events (otlp 5.6). */
export function hasGenAiSignal(span: ReceivedSpan, scope: ReceivedScope): boolean {
  const scopeName = scope.name.trim().toLowerCase();
  if (scopeFrameworks.some(([pattern]) => pattern.test(scopeName))) return true;
  for (const key of span.attributes.keys()) {
    if (signalPrefix.test(key) || signalNames.has(key)) return true;
  }
  return span.events.some(({ name }) => name.startsWith("gen_ai.") || name === "db.query.result");
}
