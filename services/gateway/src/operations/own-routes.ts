import type { RouteId } from "@touchstone/contracts";
import { type Answer, AppError, type Call, type Readiness } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";
import type { Answerer } from "../http/edge.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { MetricsRefusal } from "../metrics/metrics-access.ts";
import type { ReadAdminAudit, ReadAdminOverview, ReadAdminSystem } from "./admin.ts";
import { type ReadExportIndex, refuseUnknownEntity } from "./export-index.ts";
import type { ReadIngestHealth } from "./ingest-health.ts";
import type { ReadProjectSettings } from "./project-settings.ts";
import type { ReadProjectUsage } from "./project-usage.ts";
import type { ReadVerdict } from "./read-verdict.ts";

export interface OwnRoutesOptions {
  checkReadiness: () => Promise<Readiness>;
  metrics: GatewayMetrics;
  refuseMetrics: MetricsRefusal;
  /** The text of the OpenAPI document; null if the installation lacks it. */
  openApi: string | null;
  readExportIndex: ReadExportIndex;
  /** Throws unless the header `x-admin-token` is the operator's. */
  requireAdmin: (presented: unknown) => void;
  readAdminOverview: ReadAdminOverview;
  readAdminSystem: ReadAdminSystem;
  readAdminAudit: ReadAdminAudit;
  readIngestHealth: ReadIngestHealth;
  readProjectUsage: ReadProjectUsage;
  readProjectSettings: ReadProjectSettings;
  readVerdict: ReadVerdict;
}

type OwnHandler = (request: FastifyRequest) => Promise<Answer>;

const prometheusText = "text/plain; version=0.0.4; charset=utf-8";
const plainText = "text/plain; charset=utf-8";
const json = "application/json; charset=utf-8";

/** Answers the gateway's own routes, for operators and their platforms (completions 1.1, 1.6). */
export function createOwnAnswerer(options: OwnRoutesOptions): Answerer {
  const handlers: Partial<Record<string, OwnHandler>> = listHandlers(options);
  return async (route, request, reply) => {
    const handle = handlers[route.id];
    if (handle === undefined) throw new Error(`the gateway owns ${route.id} and does not serve it`);
    const { status, headers = {}, contentType = json, body } = await handle(request);
    if (status === 401 && request.passage) request.passage.outcome = "unauthorized";
    return reply
      .code(status)
      .headers(headers)
      .type(contentType)
      .send(typeof body === "string" ? body : JSON.stringify(body));
  };
}

function listHandlers(options: OwnRoutesOptions) {
  const { checkReadiness, metrics, refuseMetrics, openApi, readExportIndex } = options;
  return {
    async getHealth() {
      const { ready, checks } = await checkReadiness();
      if (ready) return { status: 200, body: { status: "ok" } };
      const missing = Object.keys(checks).filter((name) => checks[name] !== "ok");
      throw new AppError("service_unavailable", `Not ready: ${missing.join(", ")}.`);
    },
    async getLiveness() {
      return { status: 200, body: { status: "ok" } };
    },
    async getReadiness() {
      const { ready, checks } = await checkReadiness();
      return { status: ready ? 200 : 503, body: { status: ready ? "ready" : "not_ready", checks } };
    },
    async getMetrics({ headers }) {
      const refusal = refuseMetrics(headers.authorization);
      if (refusal === null) return { status: 200, contentType: prometheusText, body: await metrics.render() };
      return {
        status: 401,
        contentType: plainText,
        headers: { "www-authenticate": "Bearer" },
        body: `${refusal}\n`,
      };
    },
    async getOpenApi() {
      if (openApi !== null) return { status: 200, body: openApi };
      throw new AppError("service_unavailable", "This installation lacks its OpenAPI document.");
    },
    async getAdminOverview({ headers, id }) {
      options.requireAdmin(headers["x-admin-token"]);
      return options.readAdminOverview(id);
    },
    async getAdminSystem({ headers, id }) {
      options.requireAdmin(headers["x-admin-token"]);
      return options.readAdminSystem(id);
    },
    async listAllAuditEvents({ headers, id, query }) {
      options.requireAdmin(headers["x-admin-token"]);
      return options.readAdminAudit(query as Call["query"], id);
    },
    async getUsage(request) {
      return options.readProjectUsage(requireCaller(request), request.id);
    },
    async readIngestHealth(request) {
      const { window } = request.query as Record<string, unknown>;
      return options.readIngestHealth({ projectId: requireCaller(request).projectId, window }, request.id);
    },
    async readVerdict(request) {
      const { verdictId } = request.params as { verdictId: string };
      return options.readVerdict(requireCaller(request).projectId, verdictId);
    },
    async readSettings(request) {
      return options.readProjectSettings(requireCaller(request).projectId, request.id);
    },
    async listExports(request) {
      const { projectId } = requireCaller(request);
      return readExportIndex({ projectId, query: request.query as Record<string, unknown>, requestId: request.id });
    },
    async exportUnknown({ params }) {
      return refuseUnknownEntity((params as { entity: string }).entity);
    },
  } satisfies Partial<Record<RouteId, OwnHandler>>;
}

/** The caller on a route of a project. */
function requireCaller({ passage }: FastifyRequest): { projectId: string; organizationId: string | null } {
  const projectId = passage?.caller?.projectId ?? null;
  if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return { projectId, organizationId: passage?.caller?.organizationId ?? null };
}
