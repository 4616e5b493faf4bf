import { z } from "zod";
import { limits } from "../limits.ts";
import { submittedWorkspaceId } from "../workspace.ts";
import { listEnd } from "./list-page.ts";
import { filledText, storable } from "./texts.ts";

const word = z.string().min(1).max(limits.registryNameMaxChars);
const labels = z.array(word).max(limits.promptLabelsMax);

/** A message of a chat prompt; what it has besides a role and a content is kept as it was sent. */
const promptMessage = z.looseObject({ role: z.string().optional(), content: z.json().optional() });

/** Body of `POST /custom-agent-evaluations/prompts` (completions 14). A known name gets a new version. */
export const submittedPrompt = z.object({
  name: z.string().min(1).max(limits.registryNameMaxChars),
  type: z.enum(["text", "chat"]).optional().describe("Default text."),
  text: z.string().min(1).optional().describe("Of a text prompt."),
  messages: z.array(promptMessage).min(1).optional().describe("Of a chat prompt, instead of the text."),
  config: z.json().optional().describe("Any JSON, such as the model to call with the prompt."),
  labels: labels.nullish().describe("They move to this version."),
  tags: z.array(word).max(limits.promptTagsMax).nullish().describe("Of the prompt; they replace the current ones."),
  commitMessage: z.string().nullish(),
  description: z.string().nullish(),
  workspaceId: submittedWorkspaceId.optional(),
});

/** A prompt at one of its versions. */
export const prompt = z.object({
  _id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  version: z.number().int(),
  type: z.enum(["text", "chat"]),
  text: z.string().describe("Of a chat prompt, the contents of its messages."),
  messages: z.array(promptMessage).optional().describe("Of a chat prompt."),
  config: z.json(),
  labels: z.array(z.string()).describe("Those that name this version; latest is the newest."),
  tags: z.array(z.string()),
  commitMessage: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const promptParams = z.object({ promptId: z.string().describe("The prompt's id or its name") });
export const promptQuery = z.object({
  version: z.string().optional().describe("An older version's number"),
  label: z.string().optional().describe("Instead of a version: the one that the label names"),
});
export const promptList = z.object({ prompts: z.array(prompt), ...listEnd });

export const promptVersionParams = promptParams.extend({ version: z.string() });

/** Body of `PATCH .../prompts/{promptId}/versions/{version}`. */
export const movedLabels = z.object({
  labels: z
    .array(filledText.max(limits.registryNameMaxChars).check(storable))
    .max(limits.promptLabelsMax)
    .describe("They move here; the version keeps its other ones."),
});
export const movedLabelsSentences = {
  labels: `labels must be a list of at most ${limits.promptLabelsMax} texts of at most ${limits.registryNameMaxChars} characters`,
};

/** What dropin asks about the prompts of a project; null: all. */
export const promptSearch = z.object({
  name: z.string().nullable(),
  label: z.string().nullable(),
  tag: z.string().nullable(),
  offset: z.int().min(0),
  limit: z.int().min(1).max(limits.peerPageMax),
});

export const promptSearchReply = z.object({
  prompts: z.array(
    z.object({
      name: z.string(),
      type: z.enum(["text", "chat"]),
      version: z.int().describe("The newest one; the first is 1, without a gap."),
      labels: z.array(z.string()).describe("Of all versions."),
      tags: z.array(z.string()),
      config: z.json().describe("Of the newest version; null if it is large."),
      updatedAt: z.string(),
    }),
  ),
  totalCount: z.int().describe("Of all that match."),
});
