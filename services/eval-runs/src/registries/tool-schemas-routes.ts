import { isUuid, type newToolSchema, routes, type toolSchema } from "@touchstone/contracts";
import {
  AppError,
  actOf,
  type Call,
  type Clock,
  endOfList,
  type Handler,
  parseBody,
  readJsonObject,
  requireProject,
  requireWorkspace,
  type ServedRoute,
  uuidv7,
} from "@touchstone/service-kit";
import type { z } from "zod";
import { readNameListQuery, readVersionListQuery } from "../queries/list-query.ts";
import { composeToolSchema, patchToolSchema } from "./submitted-tool-schema.ts";
import type { StoredToolSchema, ToolSchemaStore } from "./tool-schema-store.ts";

/** Definitions of tools, for judges with tool context `detailed`. */
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

/** POST /evaluate/tool-schemas (completions 14). */
function createToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const { value } = await readJsonObject(call);
    const submitted = composeToolSchema(parseBody(value, routes.createToolSchema.body));
    requireWorkspace(call, value.workspaceId);
    const now = clock.now();
    const stored = await toolSchemas.insert(projectId, { id: uuidv7(now), ...submitted, at: new Date(now) });
    return { status: 201, body: showNewToolSchema(stored) };
  };
}

/** GET /evaluate/tool-schemas (completions 14): by name. */
function listToolSchemas({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const page = await toolSchemas.list(requireProject(call), readNameListQuery(call));
    return {
      status: 200,
      body: { toolSchemas: page.rows.map(showToolSchema), ...endOfList(page, ({ name }) => name) },
    };
  };
}

/** GET /evaluate/tool-schemas/{toolSchemaId} (completions 14). */
function getToolSchema({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    const stored = await toolSchemas.find(projectId, id);
    if (stored === null) throw toolSchemaNotFound();
    return { status: 200, body: { toolSchema: showToolSchema(stored) } };
  };
}

/** GET /evaluate/tool-schemas/{toolSchemaId}/versions (completions 14): newest first. */
function listToolSchemaVersions({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    const query = readVersionListQuery(call);
    const page = await toolSchemas.listVersions(projectId, id, query);
    // Versions are deleted with their tool schema, but a page after the last one is empty, too.
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

/**
 * POST /evaluate/tool-schemas/{toolSchemaId}/versions (completions 14): the next version. Concurrent publishers wait for one
 * another, so that each version gets a distinct number.
 */
function publishToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    // First, so that an unreadable body is 400 for any path.
    const { value } = await readJsonObject(call);
    const { projectId, id } = readToolSchemaId(call);
    requireWorkspace(call, value.workspaceId);
    const change = (current: StoredToolSchema) =>
      patchToolSchema(current, parseBody(value, routes.publishToolSchema.body));
    const stored = await toolSchemas.update(projectId, id, change, new Date(clock.now()));
    if (stored === null) throw toolSchemaNotFound();
    return { status: 201, body: showNewToolSchema(stored) };
  };
}

/**
 * PATCH /evaluate/tool-schemas/{toolSchemaId} (completions 14): changes the members that were sent, as a new version.
 */
function updateToolSchema({ toolSchemas, clock }: { toolSchemas: ToolSchemaStore; clock: Clock }): Handler {
  return async (call) => {
    // First, so that an unreadable body is 400 for any path.
    const { value } = await readJsonObject(call);
    const { projectId, id } = readToolSchemaId(call);
    requireWorkspace(call, value.workspaceId);
    const change = (current: StoredToolSchema) =>
      patchToolSchema(current, parseBody(value, routes.updateToolSchema.body));
    const stored = await toolSchemas.update(projectId, id, change, new Date(clock.now()));
    if (stored === null) throw toolSchemaNotFound();
    return { status: 200, body: { toolSchema: showToolSchema(stored) } };
  };
}

/** DELETE /evaluate/tool-schemas/{toolSchemaId} (completions 14), with all its versions. */
function deleteToolSchema({ toolSchemas }: { toolSchemas: ToolSchemaStore }): Handler {
  return async (call) => {
    const { projectId, id } = readToolSchemaId(call);
    if (!(await toolSchemas.remove(projectId, id, actOf(call.identity)))) throw toolSchemaNotFound();
    return { status: 200, body: { deleted: true } };
  };
}

/** The project of a call and the id in its path; a malformed id is answered like an unknown one. */
function readToolSchemaId(call: Call): { projectId: string; id: string } {
  const projectId = requireProject(call);
  const { toolSchemaId = "" } = call.params;
  if (!isUuid(toolSchemaId)) throw toolSchemaNotFound();
  return { projectId, id: toolSchemaId };
}

function toolSchemaNotFound(): AppError {
  return new AppError("not_found", "Tool schema not found");
}

/** A tool schema as clients read it (completions 14). */
function showToolSchema(stored: StoredToolSchema): z.input<typeof toolSchema> {
  return {
    _id: stored.id,
    name: stored.name,
    definition: stored.definition,
    ...(stored.description !== null && { description: stored.description }),
    ...(stored.testEndpointUrl !== null && { testEndpointUrl: stored.testEndpointUrl }),
    version: stored.version,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}

/**
 * A tool schema that was just created or published: bare, as prompts are answered, and also under its name for clients that
 * read that.
 */
function showNewToolSchema(stored: StoredToolSchema): z.input<typeof newToolSchema> {
  const shown = showToolSchema(stored);
  return { ...shown, toolSchema: shown };
}
