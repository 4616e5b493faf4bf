import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import { toolDefinitionSources } from "./content-sources.ts";
import type { SpanFacts } from "./span-facts.ts";

/** A tool offered to a model. `parameters` is its JSON schema. */
export interface ToolDefinition {
  name: string;
  description?: string;
  parameters?: unknown;
}

/** The tools offered to the model, or null (otlp 5.3, tool definitions). */
export function readToolDefinitions(facts: SpanFacts): ToolDefinition[] | null {
  for (const source of toolDefinitionSources) {
    const family = "family" in source ? facts.family(source.family) : null;
    const value = "family" in source ? family?.items : read(facts, source.attribute, source.member);
    const list = looselyParsed(value);
    if (!Array.isArray(list)) continue;
    const definitions = list.map(toDefinition).filter((definition) => definition !== null);
    if (definitions.length === 0) continue;
    if (definitions.length === list.length) {
      if (family !== null) facts.consume(family.keys);
      else if ("attribute" in source && source.member === undefined) facts.consume(source.attribute);
    }
    return definitions;
  }
  return null;
}

function read(facts: SpanFacts, attribute: string, member: string | undefined): unknown {
  const value = facts.parsed(attribute);
  if (member === undefined) return value;
  return isRecord(value) ? value[member] : undefined;
}

/** `parameters`, `inputSchema` (AI SDK), nested under `function` (OpenAI), as JSON text, or a bare name (Mastra). */
function toDefinition(given: unknown): ToolDefinition | null {
  const value = looselyParsed(given);
  if (typeof value === "string") return { name: value };
  if (!isRecord(value)) return null;
  const tool = isRecord(value.tool) ? looselyParsed(value.tool.json_schema) : value;
  const inner = isRecord(tool) && isRecord(tool.function) ? tool.function : tool;
  if (!isRecord(inner) || typeof inner.name !== "string") return null;
  const definition: ToolDefinition = { name: inner.name };
  if (typeof inner.description === "string") definition.description = inner.description;
  const parameters = looselyParsed(inner.parameters ?? inner.inputSchema ?? inner.input_schema);
  if (parameters !== undefined && parameters !== null) definition.parameters = parameters;
  return definition;
}
