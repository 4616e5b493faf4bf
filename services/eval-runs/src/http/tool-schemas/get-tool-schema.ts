import type { Handler } from "@touchstone/service-kit";
import { showToolSchema } from "../../registries/show-tool-schema.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/** GET /evaluate/tool-schemas/{toolSchemaId} (completions 14). */
export function getToolSchema({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    const stored = await toolSchemas.find(projectId, id);
    if (stored === null) throw toolSchemaNotFound();
    return { status: 200, body: { toolSchema: showToolSchema(stored) } };
  };
}
