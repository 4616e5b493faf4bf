import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { createToolSchema } from "../http/tool-schemas/create-tool-schema.ts";
import { deleteToolSchema } from "../http/tool-schemas/delete-tool-schema.ts";
import { getToolSchema } from "../http/tool-schemas/get-tool-schema.ts";
import { listToolSchemaVersions } from "../http/tool-schemas/list-tool-schema-versions.ts";
import { listToolSchemas } from "../http/tool-schemas/list-tool-schemas.ts";
import { publishToolSchema } from "../http/tool-schemas/publish-tool-schema.ts";
import { updateToolSchema } from "../http/tool-schemas/update-tool-schema.ts";
import type { ToolSchemaStore } from "./tool-schema-store.ts";

/** The definitions of tools, which judges with tool context `detailed` are shown. */
export function toolSchemaRoutes(dependencies: { toolSchemas: ToolSchemaStore; clock: Clock }): ServedRoute[] {
  return [
    { route: routes.createToolSchema, handle: createToolSchema(dependencies) },
    { route: routes.listToolSchemas, handle: listToolSchemas(dependencies) },
    { route: routes.getToolSchema, handle: getToolSchema(dependencies) },
    { route: routes.listToolSchemaVersions, handle: listToolSchemaVersions(dependencies) },
    { route: routes.publishToolSchema, handle: publishToolSchema(dependencies) },
    { route: routes.updateToolSchema, handle: updateToolSchema(dependencies) },
    { route: routes.deleteToolSchema, handle: deleteToolSchema(dependencies) },
  ];
}
