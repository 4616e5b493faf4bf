import { deadlines, type Route } from "@touchstone/contracts";
import type { Address } from "./route-table.ts";

/** The dashboard. It is not part of the API or its description. */
const pageRoute: Route = {
  id: "getPage",
  method: "GET",
  path: "/*",
  owner: "gateway",
  authentication: ["none"],
  rateGroup: "dataPlane",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
  responses: {},
  summary: "A page of the dashboard, or a file it is made of.",
  section: "interface: Modes",
};

/** Every address that the API does not use. */
export const pageAddresses: readonly Address[] = ["GET", "HEAD"].map((method) => ({
  method,
  path: pageRoute.path,
  route: pageRoute,
}));

/** True if a path is in the API's address space, even if unknown: a client with a mistyped path must not get a page. */
export function isOfApi(path: string): boolean {
  return /^\/(api|health|mcp|metrics|openapi\.json|projects)(\/|$)/.test(path);
}

/** True for the route of the pages. */
export function isPageRoute(route: Route): boolean {
  return route === pageRoute;
}
