import type { Clock, Handler } from "@touchstone/service-kit";
import { readJsonObject, requireWorkspace } from "@touchstone/service-kit";
import { showToolSchema } from "../../registries/show-tool-schema.ts";
import { patchToolSchema } from "../../registries/submitted-tool-schema.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/** PATCH /evaluate/tool-schemas/{toolSchemaId} (completions 14): what is sent changes, as a new version. */
export function updateToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    // First: a body that cannot be read is 400 whatever the path names.
    const { value } = await readJsonObject(call);
    const { projectId, id } = readToolSchemaId(call);
    requireWorkspace(call, value.workspaceId);
    const change = (current: Parameters<typeof patchToolSchema>[0]) => patchToolSchema(current, value);
    const stored = await toolSchemas.update(projectId, id, change, new Date(clock.now()));
    if (stored === null) throw toolSchemaNotFound();
    return { status: 200, body: { toolSchema: showToolSchema(stored) } };
  };
}
