import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { listEnd } from "./list-page.ts";
import { filledText, storable } from "./texts.ts";

const isHttpAddress = (text: string): boolean => text === "" || (/^https?:\/\//.test(text) && URL.canParse(text));

/**
 * Body of `POST /evaluate/tool-schemas` (completions 14). `name` is the tool's name as traces have it; judges with tool
 * context `detailed` are shown `definition` when the tool was used.
 */
export const submittedToolSchema = z.object({
  name: filledText.max(limits.registryNameMaxChars).check(storable),
  definition: filledText,
  description: z.string().nullish(),
  testEndpointUrl: z
    .string()
    .refine(isHttpAddress)
    .nullish()
    .describe("An http or https address; an empty text is none"),
  workspaceId: submittedWorkspaceId.optional(),
});
const notPlain = `name must be plain text of at most ${limits.registryNameMaxChars} characters`;
export const toolSchemaSentences = {
  name: { too_big: notPlain, custom: notPlain, otherwise: "name is required" },
  definition: "definition is required",
  description: "description must be a string",
  testEndpointUrl: {
    custom: "A valid http:// or https:// testEndpointUrl is required",
    otherwise: "testEndpointUrl must be a string",
  },
  workspaceId: "workspaceId may be anything",
} as const;

/** Body of `PATCH /evaluate/tool-schemas/{toolSchemaId}`: only what is sent changes; null removes a text. */
export const toolSchemaPatch = submittedToolSchema.partial();

/**
 * Body of `POST /evaluate/tool-schemas/{toolSchemaId}/versions`: missing members are copied from the previous version.
 */
export const publishedToolSchema = z.object({
  definition: filledText,
  ...toolSchemaPatch.omit({ definition: true }).shape,
});

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
