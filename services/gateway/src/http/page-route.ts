import { deadlines, type Route } from "@touchstone/contracts";
import type { Address } from "./route-table.ts";

/** The dashboard. It is no part of the API and of its description. */
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

/** Every address the API leaves free. */
export const pageAddresses: readonly Address[] = ["GET", "HEAD"].map((method) => ({
  method,
  path: pageRoute.path,
  route: pageRoute,
}));

/** Whether an address belongs to the API, also one it does not have: a client that mistypes one must not get a page. */
export function isOfApi(path: string): boolean {
  return /^\/(api|health|metrics|openapi\.json|projects)(\/|$)/.test(path);
}

/** Whether this is the route of the pages. */
export function isPageRoute(route: Route): boolean {
  return route === pageRoute;
}
