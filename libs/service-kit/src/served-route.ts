import type { InternalRoute, Route, RouteEnvelope, ServiceName } from "@touchstone/contracts";
import type { Answer } from "./answer.ts";
import type { Call } from "./call.ts";

export type Handler = (call: Call) => Promise<Answer>;

/** One route of a service: the contract and its handler. */
export interface ServedRoute {
  route: Route | InternalRoute;
  handle: Handler;
}

/** A route with values that are computed once. */
export interface ServingRoute extends ServedRoute {
  /** The services whose identity it accepts. */
  admitted: readonly ServiceName[];
  envelope: RouteEnvelope;
  /** The largest body. */
  maxBytes: number;
}

export function prepareRoute({ route, handle }: ServedRoute): ServingRoute {
  return {
    route,
    handle,
    admitted: "askedBy" in route ? route.askedBy : ["gateway", ...(route.alsoAskedBy ?? [])],
    envelope: "envelope" in route ? route.envelope : "standard",
    maxBytes: "responses" in route ? (route.body?.maxBytes ?? 0) : 1024 * 1024,
  };
}
