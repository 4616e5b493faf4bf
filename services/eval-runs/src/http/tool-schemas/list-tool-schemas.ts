import { endOfList, type Handler, requireProject } from "@touchstone/service-kit";
import { readNameListQuery } from "../../queries/list-query.ts";
import { showToolSchema } from "../../registries/show-tool-schema.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";

/** GET /evaluate/tool-schemas (completions 14): by name. */
export function listToolSchemas({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const page = await toolSchemas.list(requireProject(call), readNameListQuery(call));
    return {
      status: 200,
      body: { toolSchemas: page.rows.map(showToolSchema), ...endOfList(page, ({ name }) => name) },
    };
  };
}
