import {
  llmKeysReply,
  platformModelReply,
  projectSettings,
  regeneratedKeyReply,
  submittedLlmKeys,
  submittedLlmKeysSentences,
  submittedPlatformModel,
  submittedPlatformModelSentences,
} from "../http/project-settings.ts";
import { judged } from "../judged-body.ts";
import type { Route } from "../route.ts";
import { byAdmin, checkedBody, dataPlane, json, prefix } from "./route-parts.ts";

/** The settings of a project, and its provider keys for judges. */
export const projectSettingsRoutes = {
  readSettings: {
    ...dataPlane,
    id: "readSettings",
    method: "GET",
    path: `${prefix}/agent-monitoring/settings`,
    owner: "gateway",
    responses: { 200: { description: "The settings; provider keys are masked.", schema: projectSettings } },
    summary: "Read the project's settings.",
    section: "completions 11.3",
  },
  setLlmKeys: {
    ...dataPlane,
    ...byAdmin,
    id: "setLlmKeys",
    method: "PUT",
    path: `${prefix}/agent-monitoring/settings/llm-keys`,
    owner: "auth",
    body: judged(json(submittedLlmKeys), submittedLlmKeysSentences),
    responses: { 200: { description: "The keys that are stored now, masked.", schema: llmKeysReply }, ...checkedBody },
    summary: "Store or remove provider keys.",
    section: "completions 11.3",
  },
  regenerateApiKey: {
    ...dataPlane,
    ...byAdmin,
    id: "regenerateApiKey",
    method: "POST",
    path: `${prefix}/agent-monitoring/settings/api-key/regenerate`,
    owner: "auth",
    responses: { 200: { description: "The new key; the old one stops at once.", schema: regeneratedKeyReply } },
    summary: "Replace the project's key.",
    section: "completions 11.3",
  },
  setPlatformModel: {
    ...dataPlane,
    ...byAdmin,
    id: "setPlatformModel",
    method: "PUT",
    path: `${prefix}/agent-monitoring/settings/platform-model`,
    owner: "auth",
    body: judged(json(submittedPlatformModel), submittedPlatformModelSentences),
    responses: { 200: { description: "The model that is asked now.", schema: platformModelReply }, ...checkedBody },
    summary: "Choose the model that is asked where a request names none.",
    section: "completions 11.3",
  },
} as const satisfies Record<string, Route>;
