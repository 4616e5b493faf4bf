import { type Clock, type Handler, readJsonObject, requireWorkspace } from "@touchstone/service-kit";
import { showNewToolSchema } from "../../registries/show-tool-schema.ts";
import { publishToolSchema as composeVersion } from "../../registries/submitted-tool-schema.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/**
 * POST /evaluate/tool-schemas/{toolSchemaId}/versions (completions 14): the next version. Versions that are published at
 * once wait for one another, so that each gets a number of its own.
 */
export function publishToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    // First: a body that cannot be read is 400 whatever the path names.
    const { value } = await readJsonObject(call);
    const { projectId, id } = readToolSchemaId(call);
    requireWorkspace(call, value.workspaceId);
    const stored = await toolSchemas.update(
      projectId,
      id,
      (current) => composeVersion(current, value),
      new Date(clock.now()),
    );
    if (stored === null) throw toolSchemaNotFound();
    return { status: 201, body: showNewToolSchema(stored) };
  };
}
