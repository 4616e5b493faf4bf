import { langfuseHealth, langfuseProjects } from "../http/langfuse.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";

/** Their place is fixed: clients add it to the address of the installation. */
const langfuse = "/api/public";

const ofClient = {
  owner: "dropin",
  authentication: ["key", "authorization"],
  rateGroup: "dataPlane",
  envelope: "langfuse",
  deadlineMs: deadlines.gatewayHopMs,
} as const;

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
} as const satisfies Record<string, Route>;
