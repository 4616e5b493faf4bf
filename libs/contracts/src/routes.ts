import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { evaluationRoutes } from "./routes/evaluation.ts";
import { exportRoutes } from "./routes/export.ts";
import { operationRoutes } from "./routes/operations.ts";
import { otlpRoutes } from "./routes/otlp.ts";
import { projectDataRoutes } from "./routes/project-data.ts";
import { prefix } from "./routes/route-parts.ts";
import { traceRoutes } from "./routes/traces.ts";

/** Every public route (interface: Endpoints). Order is the order of the OpenAPI document. */
export const routes = {
  ...traceRoutes,
  ...projectDataRoutes,
  ...otlpRoutes,
  ...exportRoutes,
  ...evaluationRoutes,
  ...accountRoutes,
  ...operationRoutes,
} as const satisfies Record<string, Route>;

export type RouteId = keyof typeof routes;

/**
 * Further addresses of a route: `/projects` stands at the root too, the operator's routes under the prefix too
 * (decisions: Prefix).
 */
export const routeAliases: readonly { path: string; routeId: RouteId }[] = [
  { path: "/projects", routeId: "listProjects" },
  { path: "/projects", routeId: "createProject" },
  { path: `${prefix}/health`, routeId: "getHealth" },
  { path: `${prefix}/health/live`, routeId: "getLiveness" },
  { path: `${prefix}/health/ready`, routeId: "getReadiness" },
  { path: `${prefix}/metrics`, routeId: "getMetrics" },
];
