import { z } from "zod";
import { limits } from "../limits.ts";
import { datasetItem, keptDataset, keptItem, namedDataset } from "./dataset-items.ts";
import { mediaId, mediaSentences, shownMedia, submittedMedia } from "./media.ts";
import { namedRun } from "./run-items.ts";
import { storable } from "./texts.ts";

/** `GET /api/public/health`. `version` is the version of Langfuse whose paths these are. */
export const langfuseHealth = z.object({ status: z.literal("OK"), version: z.string() });

/** `GET /api/public/projects`: the project of the key. */
export const langfuseProjects = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      organization: z.object({ id: z.string(), name: z.string() }),
      metadata: z.record(z.string(), z.json()),
    }),
  ),
});

const promptText = z.union([z.string(), z.array(z.looseObject({}))]);
const promptType = z.enum(["text", "chat"]);

/** Body of `POST /api/public/v2/prompts`. A known name gets a new version. */
export const submittedLangfusePrompt = z.object({
  name: z.string().min(1).max(limits.registryNameMaxChars),
  type: promptType.optional().describe("Default text."),
  prompt: promptText.describe("A text; of type chat a list of messages."),
  config: z.json().optional(),
  labels: z.array(z.string()).nullish(),
  tags: z.array(z.string()).nullish(),
  commitMessage: z.string().nullish(),
});

export const langfusePrompt = z.object({
  name: z.string(),
  version: z.int(),
  type: promptType,
  prompt: promptText,
  config: z.json(),
  labels: z.array(z.string()),
  tags: z.array(z.string()),
  commitMessage: z.string().nullable(),
  resolutionGraph: z.null(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const langfusePromptParams = z.object({
  promptName: z.string().describe("A slash in it is written %2F"),
});
export const langfusePromptQuery = z.object({
  version: z.string().optional(),
  label: z.string().optional().describe("Default production, if no version is named"),
});
export const langfusePromptVersionParams = langfusePromptParams.extend({ version: z.string() });

/** Body of `PATCH /api/public/v2/prompts/{name}/versions/{version}`. */
export const langfuseLabels = z.object({ newLabels: z.array(z.string()) });

export const langfusePageQuery = z.object({
  page: z.string().optional().describe("From 1, the default"),
  limit: z.string().optional().describe(`Default 50, at most ${limits.peerPageMax}`),
});
const pageMeta = z.object({ page: z.int(), limit: z.int(), totalItems: z.int(), totalPages: z.int() });

export const langfusePromptListQuery = langfusePageQuery.extend({
  name: z.string().optional(),
  label: z.string().optional(),
  tag: z.string().optional(),
});

export const langfusePromptList = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      type: promptType,
      versions: z.array(z.int()),
      labels: z.array(z.string()),
      tags: z.array(z.string()),
      lastUpdatedAt: z.string(),
      lastConfig: z.json().describe("null if it has more than 64 KiB"),
    }),
  ),
  meta: pageMeta,
});

/** Body of `POST /api/public/v2/datasets`. A known name changes the dataset that has it. */
export const submittedLangfuseDataset = keptDataset.extend({ name: z.string().min(1).max(limits.datasetNameMaxChars) });

export const langfuseDataset = namedDataset.extend({ projectId: z.string() });
export const langfuseDatasetList = z.object({ data: z.array(langfuseDataset), meta: pageMeta });
export const langfuseDatasetParams = z.object({ datasetName: z.string().describe("A slash in it is written %2F") });

/** Body of `POST /api/public/dataset-items`. A known id changes the item that has it. */
export const submittedLangfuseItem = keptItem.extend({ id: z.string().max(limits.registryNameMaxChars).nullish() });

/** A text of an item that refers to a stored medium. */
export const langfuseItemMedia = z.object({
  field: z.enum(["input", "expectedOutput", "metadata"]),
  referenceString: z.string().describe("The text"),
  jsonPath: z.string().describe("Where the field has it, such as `$['image']` or `$[0]`"),
  media: z.object({
    mediaId,
    contentType: z.string(),
    contentLength: z.int().describe("In bytes"),
    url: z.string(),
    urlExpiry: z.string(),
  }),
});
export const langfuseItem = datasetItem.extend({ mediaReferences: z.array(langfuseItemMedia) });
export const langfuseItemParams = z.object({ itemId: z.string() });
export const langfuseItemListQuery = langfusePageQuery.extend({ datasetName: z.string() });
export const langfuseItemList = z.object({ data: z.array(langfuseItem), meta: pageMeta });

const peerId = z.string().min(1).max(limits.indexedTextMaxChars).check(storable);

/** From 1970 to 9999. */
const isStorableTime = (text: string): boolean => Date.parse(text) >= 0 && Date.parse(text) < Date.UTC(10_000, 0);

/** Body of `POST /api/public/dataset-run-items`. */
export const submittedLangfuseRunItem = z.object({
  runName: peerId,
  runDescription: z.string().nullish().describe("Replaces the one of the run"),
  metadata: z.unknown().optional().describe("Replaces those of the run"),
  datasetItemId: peerId,
  traceId: peerId.describe("Its trace may be stored later"),
  observationId: peerId.nullish().describe("Whose output counts; default: the root's"),
  createdAt: z.iso.datetime({ offset: true }).refine(isStorableTime).nullish(),
});
const idSentence = (member: string): string =>
  `${member} must be text of 1 to ${limits.indexedTextMaxChars} characters`;
export const submittedLangfuseRunItemSentences = {
  runName: idSentence("runName"),
  runDescription: "runDescription must be text",
  metadata: "metadata cannot be taken",
  datasetItemId: idSentence("datasetItemId"),
  traceId: idSentence("traceId"),
  observationId: idSentence("observationId"),
  createdAt: "createdAt must be an ISO 8601 date from 1970 to 9999",
} as const;

export const langfuseRunItem = z.object({
  id: z.string(),
  datasetRunId: z.string(),
  datasetRunName: z.string(),
  datasetItemId: z.string(),
  traceId: z.string(),
  observationId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export const langfuseRunItemListQuery = langfusePageQuery.extend({ datasetId: z.string(), runName: z.string() });
export const langfuseRunItemList = z.object({ data: z.array(langfuseRunItem), meta: pageMeta });

export const langfuseRun = namedRun;
export const langfuseRunList = z.object({ data: z.array(langfuseRun), meta: pageMeta });
export const langfuseRunParams = langfuseDatasetParams.extend({
  runName: z.string().describe("A slash in it is written %2F"),
});
export const langfuseRunWithItems = langfuseRun.extend({
  datasetRunItems: z.array(langfuseRunItem).describe(`The newest, at most ${limits.peerRunItemsMax}`),
});
export const deletedLangfuseRun = z.object({ message: z.string() });

const { sha256: sha256Hash, traceId, spanId: observationId, field, ...content } = submittedMedia.shape;

/** Body of `POST /api/public/media`. */
export const submittedLangfuseMedia = z.object({ ...content, sha256Hash, traceId, observationId, field });
export const langfuseMediaSentences = {
  contentType: mediaSentences.contentType,
  contentLength: mediaSentences.contentLength,
  sha256Hash: mediaSentences.sha256.replace("sha256", "sha256Hash"),
  traceId: mediaSentences.traceId,
  observationId: mediaSentences.spanId.replace("spanId", "observationId"),
  datasetItemId: mediaSentences.datasetItemId,
  field: mediaSentences.field,
} as const;

export const registeredLangfuseMedia = z.object({
  mediaId,
  uploadUrl: z.string().nullable().describe("PUT the content there; null if the project has it already"),
});

/** Body of `PATCH /api/public/media/{mediaId}`: how the client saw its upload. */
export const langfuseUpload = z.object({
  uploadedAt: z.string().nullish(),
  uploadHttpStatus: z.int().nullish(),
  uploadHttpError: z.string().nullish(),
  uploadTimeMs: z.number().nullish(),
});
export const langfuseUploadSentences = {
  uploadedAt: "uploadedAt must be text",
  uploadHttpStatus: "uploadHttpStatus must be an integer",
  uploadHttpError: "uploadHttpError must be text",
  uploadTimeMs: "uploadTimeMs must be a number",
} as const;

/** `GET /api/public/media/{mediaId}`. */
export const langfuseMedia = z.object({
  mediaId,
  contentType: shownMedia.shape.contentType,
  contentLength: shownMedia.shape.contentLength,
  uploadedAt: z.string(),
  url: z.string(),
  urlExpiry: z.string(),
});
