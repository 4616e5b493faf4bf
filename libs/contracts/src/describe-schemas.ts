import { z } from "zod";
import { errorBody, globalErrorBody, otlpErrorBody, validationErrorBody } from "./errors.ts";
import * as agents from "./http/agents.ts";
import * as auth from "./http/auth.ts";
import * as ciRuns from "./http/ci-runs.ts";
import * as datasets from "./http/datasets.ts";
import * as graders from "./http/graders.ts";
import * as health from "./http/health.ts";
import * as otlp from "./http/otlp.ts";
import * as prompts from "./http/prompts.ts";
import * as runs from "./http/runs.ts";
import * as toolSchemas from "./http/tool-schemas.ts";
import * as traces from "./http/traces.ts";

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 embeds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Schemas of an OpenAPI document: `of` returns what to write where a schema is used, `components` the referenced
 * schemas.
 */
export interface SchemaDescriptions {
  of(schema: z.ZodType): JsonSchema;
  components(): Record<string, JsonSchema>;
}

/** The prefix of ids of schemas that the contracts do not export by name. */
const unnamed = "inline ";
const componentPath = "#/components/schemas/";
const namedSchemas = {
  ...agents,
  ...auth,
  ...ciRuns,
  ...datasets,
  ...graders,
  ...health,
  ...otlp,
  ...prompts,
  ...runs,
  ...toolSchemas,
  ...traces,
  errorBody,
  globalErrorBody,
  otlpErrorBody,
  validationErrorBody,
};

/**
 * Describes zod schemas for OpenAPI. A schema that the contracts export by name becomes a component under that name, so
 * a document contains each once; any other is written inline. Objects are described as open: an answer may gain fields,
 * and a request's unknown fields are ignored.
 */
export function describeSchemas(used: readonly z.ZodType[]): SchemaDescriptions {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(namedSchemas)) {
    // A table of sentences is no schema.
    if (schema instanceof z.ZodType) registry.add(schema, { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}` });
  }
  const isNamed = (schema: z.ZodType): boolean => !(registry.get(schema)?.id.startsWith(unnamed) ?? true);
  for (const [index, schema] of [...new Set(used)].entries()) {
    if (!registry.has(schema)) registry.add(schema, { id: `${unnamed}${index}` });
  }
  const uri = (id: string): string => `${componentPath}${id}`;
  const asRequest = z.toJSONSchema(registry, { io: "input", uri }).schemas;
  const asAnswer = z.toJSONSchema(registry, { io: "output", uri }).schemas;
  const described = new Map<string, JsonSchema>();
  for (const id of Object.keys(asRequest)) {
    const [request, answer] = [simplify(asRequest[id]), simplify(asAnswer[id])];
    if (JSON.stringify(request) !== JSON.stringify(answer)) {
      throw new Error(`${id} reads differently as a request and as an answer; give each side a schema of its own.`);
    }
    described.set(id, request as JsonSchema);
  }
  const find = (id: string): JsonSchema => {
    const found = described.get(id);
    if (found === undefined) throw new Error(`${id} was not among the schemas to describe.`);
    return writeOut(found) as JsonSchema;
  };
  /** A schema without a name that is used both alone and within another is inlined in both places. */
  const writeOut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(writeOut);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith(uri(unnamed))) return find($ref.slice(componentPath.length));
    return Object.fromEntries(Object.entries(value).map(([keyword, content]) => [keyword, writeOut(content)]));
  };
  const of = (schema: z.ZodType): JsonSchema => {
    const id = registry.get(schema)?.id ?? "An unnamed schema";
    return isNamed(schema) ? { $ref: uri(id) } : find(id);
  };

  return {
    of,
    components() {
      const wanted = new Set<string>();
      const follow = (value: unknown): void => {
        for (const id of referencesIn(value)) {
          if (wanted.has(id)) continue;
          wanted.add(id);
          follow(find(id));
        }
      };
      for (const schema of used) follow(of(schema));
      return Object.fromEntries([...wanted].sort().map((id) => [id, find(id)]));
    },
  };
}

/** The properties of an object schema and the names of the required ones; both empty for any other schema. */
export function describeObject(schema: z.ZodType): { properties: Record<string, JsonSchema>; required: string[] } {
  const described = simplify(z.toJSONSchema(schema, { io: "input" })) as Record<string, unknown>;
  return {
    properties: (described.properties ?? {}) as Record<string, JsonSchema>,
    required: (described.required ?? []) as string[],
  };
}

/** Removes zod's own annotations, empty schemas, and the recursive form of "any JSON". */
function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Record<string, unknown>;
  // zod moves recursive schemas to a separate definition; the only one the contracts use is z.json().
  if (typeof schema.$ref === "string" && schema.$ref.includes("__shared")) return {};
  const kept: Record<string, unknown> = {};
  for (const [keyword, content] of Object.entries(schema)) {
    if (keyword === "$schema" || keyword === "$id") continue;
    if (keyword === "additionalProperties" && content === false) continue;
    if (keyword === "propertyNames" && JSON.stringify(content) === '{"type":"string"}') continue;
    if (keyword === "minimum" && content === Number.MIN_SAFE_INTEGER) continue;
    if (keyword === "maximum" && content === Number.MAX_SAFE_INTEGER) continue;
    kept[keyword] = simplify(content);
  }
  return kept;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([keyword, content]) =>
    keyword === "$ref" && typeof content === "string" ? [content.slice(componentPath.length)] : referencesIn(content),
  );
}
