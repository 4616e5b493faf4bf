import {
  type Clock,
  type Handler,
  readJsonObject,
  requireProject,
  requireWorkspace,
  uuidv7,
} from "@touchstone/service-kit";
import { showNewToolSchema } from "../../registries/show-tool-schema.ts";
import { readSubmittedToolSchema } from "../../registries/submitted-tool-schema.ts";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";

/** POST /evaluate/tool-schemas (completions 14). */
export function createToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const submitted = readSubmittedToolSchema(value);
    requireWorkspace(call, value.workspaceId);
    const now = clock.now();
    const stored = await toolSchemas.insert(projectId, { id: uuidv7(now), ...submitted, at: new Date(now) });
    return { status: 201, body: showNewToolSchema(stored) };
  };
}
