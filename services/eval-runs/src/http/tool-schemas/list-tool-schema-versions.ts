import { endOfList, type Handler } from "@touchstone/service-kit";
import { readVersionListQuery } from "../../queries/list-query.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/** GET /evaluate/tool-schemas/{toolSchemaId}/versions (completions 14): newest first. */
export function listToolSchemaVersions({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    const query = readVersionListQuery(call);
    const page = await toolSchemas.listVersions(projectId, id, query);
    // Versions go with their tool schema, but behind the last one there are none, either.
    if (page.rows.length === 0 && query.cursor === null) throw toolSchemaNotFound();
    return {
      status: 200,
      body: {
        versions: page.rows.map((version) => ({ ...version, createdAt: version.createdAt.toISOString() })),
        ...endOfList(page, ({ version }) => String(version)),
      },
    };
  };
}
