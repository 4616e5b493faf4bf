import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { ToolSchemaStore } from "../../registries/tool-schema-store.ts";
import { createToolSchema } from "./create-tool-schema.ts";
import { deleteToolSchema } from "./delete-tool-schema.ts";
import { getToolSchema } from "./get-tool-schema.ts";
import { listToolSchemaVersions } from "./list-tool-schema-versions.ts";
import { listToolSchemas } from "./list-tool-schemas.ts";
import { publishToolSchema } from "./publish-tool-schema.ts";
import { updateToolSchema } from "./update-tool-schema.ts";

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
