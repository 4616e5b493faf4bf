import type { SpanKind } from "@touchstone/contracts";
import { limits } from "@touchstone/contracts/limits";
import { withoutAgentPrefix, withoutOperation } from "../../messages/operation-name.ts";
import { cleanText } from "./clean-text.ts";
import { readText } from "./read-source.ts";
import { agentNameSources, memberAgentNameSources, rootNameSources, type Source, toolNameSources } from "./sources.ts";
import type { SpanFacts } from "./span-facts.ts";

/** Names that spans of all tools have: of the AI SDK, LiveKit Agents and Effect AI. */
const toolSpans: ReadonlySet<string> = new Set(["ai.toolCall", "function_tool", "Toolkit.handle"]);

/** The names of a span. */
export interface SpanNames {
  /** Its name as a root, and as a child. Never empty. */
  rootName: string;
  childName: string;
  /** The agent that the span states; null = none. */
  statedAgent: string | null;
  /** The agent of a root if neither it nor a descendant states one; null = its own name. */
  fallbackAgent: string | null;
}

/**
 * A root is named after its agent, any other span after itself (otlp 5.3, name). Spans without a name get that of their
 * operation, then of their scope (otlp 2, What is invalid).
 */
export function readNames(facts: SpanFacts, kind: SpanKind): SpanNames {
  const given = spanName(facts);
  const statedAgent = bounded(readText(facts, agentSources(facts, kind)));
  const rootName = statedAgent ?? withoutAgentPrefix(given);
  const fallback = withoutOperation(given);
  return {
    rootName: cleanText(rootName, limits.traceNameMaxChars),
    childName: cleanText(childName(facts, kind, given), limits.traceNameMaxChars),
    statedAgent,
    fallbackAgent: fallback === rootName ? null : bounded(fallback),
  };
}

/** The name of a tool in a call, without words added by instrumentations. */
export function readToolName(facts: SpanFacts): string {
  const name =
    readText(facts, toolNameSources) ??
    spanName(facts)
      .replace(/^(?:execute_tool|tool_call|tools\/call) (?=\S)/, "")
      .replace(/(?<=.)\.tool$/, "");
  return cleanText(name, limits.traceNameMaxChars);
}

function agentSources(facts: SpanFacts, kind: SpanKind): readonly Source[] {
  if (facts.isRoot) return rootNameSources;
  return kind === "agent" ? agentNameSources : memberAgentNameSources;
}

function childName(facts: SpanFacts, kind: SpanKind, given: string): string {
  // Logfire names a span by its template; the message has the filled-in values.
  if (given.includes("{") && given.includes("}")) return facts.text("logfire.msg") ?? given;
  if (kind === "tool" && toolSpans.has(given)) return readText(facts, toolNameSources) ?? given;
  if (given === "haystack.component.run") return facts.text("haystack.component.name") ?? given;
  return given;
}

function spanName(facts: SpanFacts): string {
  const { span, scope } = facts;
  if (span.name.trim() !== "") return span.name;
  return facts.text("gen_ai.operation.name") ?? (scope.name.trim() === "" ? "unnamed span" : scope.name);
}

function bounded(name: string | null): string | null {
  return name === null ? null : cleanText(name, limits.traceNameMaxChars);
}
