import type { RouteId } from "@touchstone/contracts";
import { type Answer, AppError, type Readiness } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";
import type { Answerer } from "../http/edge.ts";
import { type ReadExportIndex, refuseUnknownEntity } from "./export-index.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";

export interface OwnRoutesOptions {
  checkReadiness: () => Promise<Readiness>;
  metrics: GatewayMetrics;
  mayReadMetrics: (authorization: string | undefined) => boolean;
  /** The OpenAPI document's text; null where the installation lacks it. */
  openApi: string | null;
  readExportIndex: ReadExportIndex;
}

type OwnHandler = (request: FastifyRequest) => Promise<Answer>;

const prometheusText = "text/plain; version=0.0.4; charset=utf-8";
const plainText = "text/plain; charset=utf-8";
const json = "application/json; charset=utf-8";

/** Answers the routes of the gateway itself, for operators and their platforms (completions 1.1, 1.6). */
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

function listHandlers({ checkReadiness, metrics, mayReadMetrics, openApi, readExportIndex }: OwnRoutesOptions) {
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
      if (mayReadMetrics(headers.authorization)) {
        return { status: 200, contentType: prometheusText, body: await metrics.render() };
      }
      return {
        status: 401,
        contentType: plainText,
        headers: { "www-authenticate": "Bearer" },
        body: "The metrics token is missing or wrong.\n",
      };
    },
    async getOpenApi() {
      if (openApi !== null) return { status: 200, body: openApi };
      throw new AppError("service_unavailable", "This installation lacks its OpenAPI document.");
    },
    async listExports({ query, id, passage }) {
      const projectId = passage?.caller?.projectId;
      if (projectId === undefined) throw new AppError("unauthorized", "Invalid or missing API key");
      return readExportIndex({ projectId, query: query as Record<string, unknown>, requestId: id });
    },
    async exportUnknown({ params }) {
      return refuseUnknownEntity((params as { entity: string }).entity);
    },
  } satisfies Partial<Record<RouteId, OwnHandler>>;
}
