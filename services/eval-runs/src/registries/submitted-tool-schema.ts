import type { submittedToolSchema, toolSchemaPatch } from "@touchstone/contracts";
import type { Parsed } from "@touchstone/service-kit";
import type { z } from "zod";
import type { StoredToolSchema, ToolSchemaDocument } from "./tool-schema-store.ts";

/** A new tool schema (completions 14). */
export function composeToolSchema({
  name,
  definition,
  description = null,
  testEndpointUrl,
}: Parsed<z.output<typeof submittedToolSchema>>): { name: string; document: ToolSchemaDocument } {
  return { name, document: { definition, description, testEndpointUrl: testEndpointUrl || null } };
}

/** Applies a patch to the current tool schema; null removes an optional text. */
export function patchToolSchema(
  current: StoredToolSchema,
  patch: Parsed<z.output<typeof toolSchemaPatch>>,
): { name: string; document: ToolSchemaDocument } {
  return composeToolSchema({ ...current, ...patch });
}
