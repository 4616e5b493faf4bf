import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { listEnd } from "./list-page.ts";

/**
 * Body of `POST /evaluate/tool-schemas` (completions 14). `name` is the tool's name as traces have it; judges with tool
 * context `detailed` are shown `definition` when the tool was used.
 */
export const submittedToolSchema = z.object({
  name: z.string().min(1).max(limits.registryNameMaxChars),
  definition: z.string().min(1),
  description: z.string().nullish(),
  testEndpointUrl: z.string().nullish().describe("An http or https address"),
  workspaceId: submittedWorkspaceId.optional(),
});

/** Body of `PATCH /evaluate/tool-schemas/{toolSchemaId}`: only what is sent changes. */
export const toolSchemaPatch = submittedToolSchema.partial();

/**
 * Body of `POST /evaluate/tool-schemas/{toolSchemaId}/versions`: missing members are copied from the previous version.
 */
export const publishedToolSchema = toolSchemaPatch.extend({ definition: z.string().min(1) });

export const toolSchema = z.object({
  _id: z.string(),
  name: z.string(),
  definition: z.string(),
  description: z.string().optional(),
  testEndpointUrl: z.string().optional(),
  version: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const toolSchemaParams = z.object({ toolSchemaId: z.string() });
export const toolSchemaReply = z.object({ toolSchema });

/** A created or published tool schema: itself, as the other registries answer, and once more as `toolSchema`. */
export const newToolSchema = toolSchema.extend({ toolSchema });
export const toolSchemaList = z.object({ toolSchemas: z.array(toolSchema), ...listEnd });
export const toolSchemaVersions = z.object({
  versions: z.array(z.object({ version: z.number().int(), definition: z.string(), createdAt: z.string() })),
  ...listEnd,
});
export const deletedReply = z.object({ deleted: z.boolean() });
