import { z } from "zod";
import { health, readiness } from "../http/health.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";

/** For operators and their platforms; the gateway's own. */
export const operationRoutes = {
  getHealth: {
    id: "getHealth",
    method: "GET",
    path: "/health",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: {
      200: { description: "Everything a request needs is up.", schema: health },
    },
    summary: "Whether requests can be served.",
    section: "decisions: Port and readiness",
  },
  getLiveness: {
    id: "getLiveness",
    method: "GET",
    path: "/health/live",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "The process answers.", schema: health } },
    summary: "Whether the process lives.",
    section: "completions 1.1",
  },
  getReadiness: {
    id: "getReadiness",
    method: "GET",
    path: "/health/ready",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: {
      200: { description: "Every part is ready.", schema: readiness },
      503: { description: "The parts that are not ready, with reasons.", schema: readiness },
    },
    summary: "Which parts are ready.",
    section: "completions 1.1",
  },
  getMetrics: {
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    owner: "gateway",
    authentication: ["metrics"],
    rateGroup: "credential",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "Prometheus text.", schema: null, contentType: "text/plain" } },
    summary: "Metrics.",
    section: "interface: GET /metrics",
  },
  getOpenApi: {
    id: "getOpenApi",
    method: "GET",
    path: "/openapi.json",
    owner: "gateway",
    authentication: ["none"],
    rateGroup: "dataPlane",
    envelope: "standard",
    deadlineMs: deadlines.gatewayHopMs,
    responses: { 200: { description: "This document.", schema: z.looseObject({ openapi: z.string() }) } },
    summary: "The OpenAPI document.",
    section: "completions 1.1",
  },
} as const satisfies Record<string, Route>;
