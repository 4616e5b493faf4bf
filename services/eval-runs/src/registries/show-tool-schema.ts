import type { newToolSchema, toolSchema } from "@touchstone/contracts";
import type { z } from "zod";
import type { StoredToolSchema } from "./tool-schema-store.ts";

/** A tool schema as clients read it (completions 14). */
export function showToolSchema(stored: StoredToolSchema): z.input<typeof toolSchema> {
  return {
    _id: stored.id,
    name: stored.name,
    definition: stored.definition,
    ...(stored.description !== null && { description: stored.description }),
    ...(stored.testEndpointUrl !== null && { testEndpointUrl: stored.testEndpointUrl }),
    version: stored.version,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}

/** One that was just made or published: bare, as prompts are answered, and under its name for clients that read that. */
export function showNewToolSchema(stored: StoredToolSchema): z.input<typeof newToolSchema> {
  const shown = showToolSchema(stored);
  return { ...shown, toolSchema: shown };
}
