import type { toolSchema } from "@touchstone/contracts";
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
