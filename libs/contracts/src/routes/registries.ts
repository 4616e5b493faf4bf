import { listQuery, versionListQuery } from "../http/list-page.ts";
import { prompt, promptList, promptParams, promptQuery, submittedPrompt } from "../http/prompts.ts";
import {
  deletedReply,
  newToolSchema,
  publishedToolSchema,
  submittedToolSchema,
  toolSchemaList,
  toolSchemaParams,
  toolSchemaPatch,
  toolSchemaReply,
  toolSchemaVersions,
} from "../http/tool-schemas.ts";
import type { Route } from "../route.ts";
import { byMember, checkedBody, dataPlane, error, json, prefix, wrongPage } from "./route-parts.ts";

const evaluation = { ...dataPlane, owner: "eval-runs", keyRateGroup: "evaluation" } as const;
const dashboard = { ...dataPlane, owner: "eval-runs" } as const;
const toolSchemas = `${prefix}/evaluate/tool-schemas`;
const toolSchemaNotFound = error("No such tool schema in the project.");

/** Prompts and tool schemas: texts with versions. */
export const registryRoutes = {
  publishPrompt: {
    ...evaluation,
    ...byMember,
    id: "publishPrompt",
    method: "POST",
    path: `${prefix}/custom-agent-evaluations/prompts`,
    body: json(submittedPrompt),
    responses: { 201: { description: "The prompt at its new version.", schema: prompt }, ...checkedBody },
    summary: "Publish a prompt, or a new version of one.",
    section: "completions 14",
  },
  listPrompts: {
    ...evaluation,
    id: "listPrompts",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/prompts`,
    query: listQuery,
    responses: {
      200: { description: "The prompts at their newest versions, by name.", schema: promptList },
      400: wrongPage,
    },
    summary: "List prompts.",
    section: "completions 14",
  },
  getPrompt: {
    ...evaluation,
    id: "getPrompt",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/prompts/{promptId}`,
    params: promptParams,
    query: promptQuery,
    responses: {
      200: { description: "The prompt at its newest version, or at the one asked for.", schema: prompt },
      400: error("The version is no integer."),
      404: error("No such prompt, or no such version of it."),
    },
    summary: "Read a prompt by id or name.",
    section: "completions 14",
  },
  createToolSchema: {
    ...dashboard,
    ...byMember,
    id: "createToolSchema",
    method: "POST",
    path: toolSchemas,
    body: json(submittedToolSchema),
    responses: {
      201: { description: "The tool schema.", schema: newToolSchema },
      ...checkedBody,
      409: error("The project has a schema for this tool."),
    },
    summary: "Register a tool's definition.",
    section: "completions 14",
  },
  listToolSchemas: {
    ...dashboard,
    id: "listToolSchemas",
    method: "GET",
    path: toolSchemas,
    query: listQuery,
    responses: { 200: { description: "The tool schemas, by name.", schema: toolSchemaList }, 400: wrongPage },
    summary: "List tool schemas.",
    section: "completions 14",
  },
  getToolSchema: {
    ...dashboard,
    id: "getToolSchema",
    method: "GET",
    path: `${toolSchemas}/{toolSchemaId}`,
    params: toolSchemaParams,
    responses: { 200: { description: "The tool schema.", schema: toolSchemaReply }, 404: toolSchemaNotFound },
    summary: "Read a tool schema.",
    section: "completions 14",
  },
  listToolSchemaVersions: {
    ...dashboard,
    id: "listToolSchemaVersions",
    method: "GET",
    path: `${toolSchemas}/{toolSchemaId}/versions`,
    params: toolSchemaParams,
    query: versionListQuery,
    responses: {
      200: { description: "Its versions, newest first.", schema: toolSchemaVersions },
      400: wrongPage,
      404: toolSchemaNotFound,
    },
    summary: "List the versions of a tool schema.",
    section: "completions 14",
  },
  publishToolSchema: {
    ...dashboard,
    ...byMember,
    id: "publishToolSchema",
    method: "POST",
    path: `${toolSchemas}/{toolSchemaId}/versions`,
    params: toolSchemaParams,
    body: json(publishedToolSchema),
    responses: {
      201: { description: "The tool schema at its new version.", schema: newToolSchema },
      ...checkedBody,
      404: toolSchemaNotFound,
      409: error("The project has another schema of this name."),
    },
    summary: "Publish a new version of a tool schema.",
    section: "completions 14",
  },
  updateToolSchema: {
    ...dashboard,
    ...byMember,
    id: "updateToolSchema",
    method: "PATCH",
    path: `${toolSchemas}/{toolSchemaId}`,
    params: toolSchemaParams,
    body: json(toolSchemaPatch),
    responses: {
      200: { description: "The tool schema at its new version.", schema: toolSchemaReply },
      ...checkedBody,
      404: toolSchemaNotFound,
      409: error("The project has another schema of this name."),
    },
    summary: "Change a tool schema.",
    section: "completions 14",
  },
  deleteToolSchema: {
    ...dashboard,
    ...byMember,
    id: "deleteToolSchema",
    method: "DELETE",
    path: `${toolSchemas}/{toolSchemaId}`,
    params: toolSchemaParams,
    responses: {
      200: { description: "It is gone, with its versions.", schema: deletedReply },
      404: toolSchemaNotFound,
    },
    summary: "Delete a tool schema.",
    section: "completions 14",
  },
} as const satisfies Record<string, Route>;
