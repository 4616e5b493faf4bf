import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { analysisRoutes } from "./routes/analyses.ts";
import { ciRunRoutes } from "./routes/ci-runs.ts";
import { customEvaluatorRoutes } from "./routes/custom-evaluators.ts";
import { dashboardRoutes } from "./routes/dashboards.ts";
import { datasetRoutes } from "./routes/datasets.ts";
import { evaluationRoutes } from "./routes/evaluation.ts";
import { exportRoutes } from "./routes/export.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { gateRoutes } from "./routes/gates.ts";
import { graderRoutes } from "./routes/graders.ts";
import { langfuseRoutes } from "./routes/langfuse.ts";
import { liveJudgingRoutes } from "./routes/live-judging.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { mediaRoutes } from "./routes/media.ts";
import { modelRoutes } from "./routes/models.ts";
import { notificationRoutes } from "./routes/notifications.ts";
import { operationRoutes } from "./routes/operations.ts";
import { organizationRoutes } from "./routes/organizations.ts";
import { otlpRoutes } from "./routes/otlp.ts";
import { ownAccountRoutes } from "./routes/own-account.ts";
import { projectDataRoutes } from "./routes/project-data.ts";
import { projectSettingsRoutes } from "./routes/project-settings.ts";
import { registryRoutes } from "./routes/registries.ts";
import { prefix } from "./routes/route-parts.ts";
import { scoreRoutes } from "./routes/scores.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { traceEvaluationRoutes } from "./routes/trace-evaluation.ts";
import { traceRoutes } from "./routes/traces.ts";
import { verdictRoutes } from "./routes/verdicts.ts";
import { watchingRoutes } from "./routes/watching.ts";

/** Every public route (interface: Endpoints). Order is the order of the OpenAPI document. */
export const routes = {
  ...traceRoutes,
  ...scoreRoutes,
  ...mediaRoutes,
  ...traceEvaluationRoutes,
  ...projectDataRoutes,
  ...projectSettingsRoutes,
  ...otlpRoutes,
  ...exportRoutes,
  ...datasetRoutes,
  ...evaluationRoutes,
  ...graderRoutes,
  ...analysisRoutes,
  ...gateRoutes,
  ...ciRunRoutes,
  ...registryRoutes,
  ...modelRoutes,
  ...watchingRoutes,
  ...feedbackRoutes,
  ...dashboardRoutes,
  ...liveJudgingRoutes,
  ...verdictRoutes,
  ...customEvaluatorRoutes,
  ...notificationRoutes,
  ...accountRoutes,
  ...signInRoutes,
  ...ownAccountRoutes,
  ...organizationRoutes,
  ...operationRoutes,
  ...langfuseRoutes,
  ...mcpRoutes,
} as const satisfies Record<string, Route>;

export type RouteId = keyof typeof routes;

const onlineEvaluator = `${prefix}/agent-monitoring/online-evaluators/{onlineEvaluatorId}`;

/**
 * Further addresses of a route: `/projects` exists at the root too, the operator's routes under the prefix too
 * (completions 0.1).
 */
export const routeAliases: readonly { path: string; routeId: RouteId }[] = [
  { path: "/projects", routeId: "listProjects" },
  { path: "/projects", routeId: "createProject" },
  // Its old name (completions 12.3).
  { path: `${prefix}/auth/forget-password`, routeId: "requestPasswordReset" },
  // Monitoring routes exist under both prefixes.
  { path: `${prefix}/agent-monitoring/patterns`, routeId: "listPatterns" },
  { path: `${prefix}/agent-monitoring/patterns`, routeId: "createPattern" },
  { path: `${prefix}/agent-monitoring/signals`, routeId: "listSignals" },
  { path: `${prefix}/agent-monitoring/kpis`, routeId: "readKpis" },
  { path: `${onlineEvaluator}/ratings`, routeId: "readLiveRatings" },
  { path: `${onlineEvaluator}/events`, routeId: "listLiveRatingEvents" },
  { path: `${onlineEvaluator}/calibration`, routeId: "readLiveCalibration" },
  // Where langfuse 3 makes datasets, and where the exporters of Langfuse's clients send spans.
  { path: "/api/public/datasets", routeId: "createLangfuseDataset" },
  { path: "/api/public/otel/v1/traces", routeId: "receiveTraces" },
  { path: `${prefix}/health`, routeId: "getHealth" },
  { path: `${prefix}/health/live`, routeId: "getLiveness" },
  { path: `${prefix}/health/ready`, routeId: "getReadiness" },
  { path: `${prefix}/metrics`, routeId: "getMetrics" },
];
