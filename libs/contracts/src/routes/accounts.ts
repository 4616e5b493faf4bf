import { authConfig, projectList, projectParams, projectReply, submittedProject } from "../http/auth.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { checkedBody, error, json, prefix } from "./route-parts.ts";

/** Who may come in. */
export const accountRoutes = {
  getAuthConfig: {
    id: "getAuthConfig",
    method: "GET",
    path: `${prefix}/auth/config`,
    owner: "auth",
    authentication: ["none"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "How to sign in; the default key in default mode.", schema: authConfig } },
    summary: "How clients of this installation authenticate.",
    section: "interface: GET auth/config",
  },
  listProjects: {
    id: "listProjects",
    method: "GET",
    path: `${prefix}/projects`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "Every project with its key.", schema: projectList } },
    summary: "List projects with their keys.",
    section: "completions 12.2",
  },
  createProject: {
    id: "createProject",
    method: "POST",
    path: `${prefix}/projects`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    body: json(submittedProject),
    responses: { 201: { description: "The project with its key.", schema: projectReply }, ...checkedBody },
    summary: "Create a project.",
    section: "completions 12.2",
  },
  rotateProjectKey: {
    id: "rotateProjectKey",
    method: "POST",
    path: `${prefix}/projects/{projectId}/rotate-key`,
    owner: "auth",
    authentication: ["key"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    params: projectParams,
    responses: {
      200: { description: "The project with its new key; the old one stops at once.", schema: projectReply },
      404: error("No such project, or another project's key."),
    },
    summary: "Replace a project's key.",
    section: "completions 12.2",
  },
} as const satisfies Record<string, Route>;
