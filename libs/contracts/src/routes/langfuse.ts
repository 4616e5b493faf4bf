import { langfuseErrorBody } from "../errors.ts";
import {
  langfuseDataset,
  langfuseDatasetList,
  langfuseDatasetParams,
  langfuseHealth,
  langfuseItem,
  langfuseItemList,
  langfuseItemListQuery,
  langfuseItemParams,
  langfuseLabels,
  langfusePageQuery,
  langfuseProjects,
  langfusePrompt,
  langfusePromptList,
  langfusePromptListQuery,
  langfusePromptParams,
  langfusePromptQuery,
  langfusePromptVersionParams,
  submittedLangfuseDataset,
  submittedLangfuseItem,
  submittedLangfusePrompt,
} from "../http/langfuse.ts";
import {
  langfuseBatch,
  langfuseBatchReply,
  langfuseBatchSentences,
  langfuseScore,
  langfuseScoreReply,
  langfuseScoreSentences,
} from "../http/langfuse-ingestion.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { ResponseContract, Route } from "../route.ts";
import { json } from "./route-parts.ts";

/** Their place is fixed: clients add it to the address of the installation. */
const langfuse = "/api/public";

const ofClient = {
  owner: "dropin",
  authentication: ["key", "authorization"],
  rateGroup: "dataPlane",
  envelope: "langfuse",
  deadlineMs: deadlines.gatewayHopMs,
} as const;

const refused = (description: string): ResponseContract => ({ description, schema: langfuseErrorBody });
const wrongPage = refused("The page or the limit is no number.");
const noPrompt = refused("No such prompt, or no such version or label of it.");

const noDataset = refused("No such dataset.");

/** The refusals of a body. */
const bodyRefusals = {
  400: refused("The body is not JSON, or a field is wrong."),
  413: refused("The body is larger than 10 MiB, on the wire or inflated."),
  415: refused("The content type, charset or content encoding is not supported."),
};

/** For the unmodified clients of Langfuse. Their exporters use an alias of the OTLP route. */
export const langfuseRoutes = {
  getLangfuseHealth: {
    ...ofClient,
    authentication: ["none"],
    id: "getLangfuseHealth",
    method: "GET",
    path: `${langfuse}/health`,
    responses: { 200: { description: "These paths are served.", schema: langfuseHealth } },
    summary: "Langfuse: whether the API answers.",
    section: "dropin 1.2",
  },
  listLangfuseProjects: {
    ...ofClient,
    id: "listLangfuseProjects",
    method: "GET",
    path: `${langfuse}/projects`,
    responses: { 200: { description: "The project of the key.", schema: langfuseProjects } },
    summary: "Langfuse: read the project of the key.",
    section: "dropin 1.2",
  },
  ingestLangfuseBatch: {
    ...ofClient,
    id: "ingestLangfuseBatch",
    method: "POST",
    path: `${langfuse}/ingestion`,
    keyRateGroup: "ingest",
    body: judged(json(langfuseBatch), langfuseBatchSentences),
    responses: {
      207: { description: "Committed, but for the events among the errors.", schema: langfuseBatchReply },
      ...bodyRefusals,
    },
    summary: "Langfuse: store traces, observations and scores.",
    section: "dropin 1.3",
  },
  createLangfuseScore: {
    ...ofClient,
    id: "createLangfuseScore",
    method: "POST",
    path: `${langfuse}/scores`,
    keyRateGroup: "ingest",
    body: judged(json(langfuseScore), langfuseScoreSentences),
    responses: { 200: { description: "The score is stored.", schema: langfuseScoreReply }, ...bodyRefusals },
    summary: "Langfuse: store a score.",
    section: "dropin 1.3",
  },
  createLangfusePrompt: {
    ...ofClient,
    id: "createLangfusePrompt",
    method: "POST",
    path: `${langfuse}/v2/prompts`,
    body: json(submittedLangfusePrompt),
    responses: { 201: { description: "The prompt at its new version.", schema: langfusePrompt }, ...bodyRefusals },
    summary: "Langfuse: publish a prompt, or a new version of one.",
    section: "dropin 1.4",
  },
  listLangfusePrompts: {
    ...ofClient,
    id: "listLangfusePrompts",
    method: "GET",
    path: `${langfuse}/v2/prompts`,
    query: langfusePromptListQuery,
    responses: { 200: { description: "Prompts by name, without texts.", schema: langfusePromptList }, 400: wrongPage },
    summary: "Langfuse: list prompts.",
    section: "dropin 1.4",
  },
  getLangfusePrompt: {
    ...ofClient,
    id: "getLangfusePrompt",
    method: "GET",
    path: `${langfuse}/v2/prompts/{promptName}`,
    params: langfusePromptParams,
    query: langfusePromptQuery,
    responses: {
      200: { description: "The prompt at the version asked for.", schema: langfusePrompt },
      400: refused("The version is no integer, or a label is named, too."),
      404: noPrompt,
    },
    summary: "Langfuse: read a prompt.",
    section: "dropin 1.4",
  },
  labelLangfusePrompt: {
    ...ofClient,
    id: "labelLangfusePrompt",
    method: "PATCH",
    path: `${langfuse}/v2/prompts/{promptName}/versions/{version}`,
    params: langfusePromptVersionParams,
    body: json(langfuseLabels),
    responses: {
      200: { description: "The prompt at this version, with the labels.", schema: langfusePrompt },
      ...bodyRefusals,
      404: noPrompt,
    },
    summary: "Langfuse: move labels to a version of a prompt.",
    section: "dropin 1.4",
  },
  createLangfuseDataset: {
    ...ofClient,
    id: "createLangfuseDataset",
    method: "POST",
    path: `${langfuse}/v2/datasets`,
    body: json(submittedLangfuseDataset),
    responses: { 200: { description: "The dataset.", schema: langfuseDataset }, ...bodyRefusals },
    summary: "Langfuse: make a dataset, or change the one of this name.",
    section: "dropin 1.5",
  },
  listLangfuseDatasets: {
    ...ofClient,
    id: "listLangfuseDatasets",
    method: "GET",
    path: `${langfuse}/v2/datasets`,
    query: langfusePageQuery,
    responses: { 200: { description: "Datasets, newest first.", schema: langfuseDatasetList }, 400: wrongPage },
    summary: "Langfuse: list datasets.",
    section: "dropin 1.5",
  },
  getLangfuseDataset: {
    ...ofClient,
    id: "getLangfuseDataset",
    method: "GET",
    path: `${langfuse}/v2/datasets/{datasetName}`,
    params: langfuseDatasetParams,
    responses: { 200: { description: "The dataset.", schema: langfuseDataset }, 404: noDataset },
    summary: "Langfuse: read a dataset by name.",
    section: "dropin 1.5",
  },
  createLangfuseDatasetItem: {
    ...ofClient,
    id: "createLangfuseDatasetItem",
    method: "POST",
    path: `${langfuse}/dataset-items`,
    body: json(submittedLangfuseItem),
    responses: {
      200: { description: "The item.", schema: langfuseItem },
      ...bodyRefusals,
      404: noDataset,
      409: refused("Another dataset has an item with this id."),
    },
    summary: "Langfuse: add an item to a dataset, or change the one with this id.",
    section: "dropin 1.5",
  },
  listLangfuseDatasetItems: {
    ...ofClient,
    id: "listLangfuseDatasetItems",
    method: "GET",
    path: `${langfuse}/dataset-items`,
    query: langfuseItemListQuery,
    responses: {
      200: { description: "The items of the dataset, in its order.", schema: langfuseItemList },
      400: wrongPage,
      404: noDataset,
    },
    summary: "Langfuse: list the items of a dataset.",
    section: "dropin 1.5",
  },
  getLangfuseDatasetItem: {
    ...ofClient,
    id: "getLangfuseDatasetItem",
    method: "GET",
    path: `${langfuse}/dataset-items/{itemId}`,
    params: langfuseItemParams,
    responses: { 200: { description: "The item.", schema: langfuseItem }, 404: refused("No such item.") },
    summary: "Langfuse: read an item by its id.",
    section: "dropin 1.5",
  },
} as const satisfies Record<string, Route>;
