import { type InternalRoute, limits, type Route, type ServiceName } from "@touchstone/contracts";
import type { FairShare } from "./fair-share.ts";
import { createStreamPlaces, type StreamPlaces } from "./stream-places.ts";

/** The slots of a service for streamed answers: server-sent events, and separately exports, which use more memory. */
export interface LastingPlaces {
  /** Null if the route's answer is not streamed. */
  of(route: Route | InternalRoute): StreamPlaces | null;
  readonly shares: Readonly<Record<string, FairShare>>;
}

export function createLastingPlaces(service: ServiceName, routes: readonly (Route | InternalRoute)[]): LastingPlaces {
  const where = `the ${service} service`;
  const kinds = new Map<"events" | "exports", StreamPlaces>();
  const bounds = {
    events: { placesMax: limits.streamsMax, projectMax: limits.streamsPerProjectMax, what: "stream", where },
    exports: { placesMax: limits.exportsMax, projectMax: limits.exportsPerProjectMax, what: "export", where },
  };
  for (const route of routes) {
    const kind = kindOf(route);
    if (kind !== null && !kinds.has(kind)) kinds.set(kind, createStreamPlaces(bounds[kind]));
  }
  return {
    of(route) {
      const kind = kindOf(route);
      return kind === null ? null : (kinds.get(kind) ?? null);
    },
    shares: Object.fromEntries([...kinds].map(([kind, { share }]) => [kind, share])),
  };
}

function kindOf(route: Route | InternalRoute): "events" | "exports" | null {
  if (!("responses" in route) || !route.streaming) return null;
  return route.responses[200]?.contentType === "text/event-stream" ? "events" : "exports";
}
