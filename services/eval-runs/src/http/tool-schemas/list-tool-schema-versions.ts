import type { Handler } from "@touchstone/service-kit";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/** GET /evaluate/tool-schemas/{toolSchemaId}/versions (completions 14): newest first. */
export function listToolSchemaVersions({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    const versions = await toolSchemas.listVersions(projectId, id);
    if (versions.length === 0) throw toolSchemaNotFound();
    return {
      status: 200,
      body: { versions: versions.map((version) => ({ ...version, createdAt: version.createdAt.toISOString() })) },
    };
  };
}
