import { actOf, type Handler } from "@touchstone/service-kit";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { readToolSchemaId, toolSchemaNotFound } from "./require-tool-schema.ts";

/** DELETE /evaluate/tool-schemas/{toolSchemaId} (completions 14), with all its versions. */
export function deleteToolSchema({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    if (!(await toolSchemas.remove(projectId, id, actOf(call.identity)))) throw toolSchemaNotFound();
    return { status: 200, body: { deleted: true } };
  };
}
