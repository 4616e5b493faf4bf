import type { EventContract, RequestContract, ServiceName } from "./bus/define.ts";
import type { InternalRoute, Route } from "./route.ts";

/** All declarations that make one service call another. */
export interface ServiceGraphInput {
  routes: readonly Route[];
  internalRoutes: readonly InternalRoute[];
  busMessages: readonly (RequestContract | EventContract)[];
}

/**
 * Which services may wait for which (ARCHITECTURE.md). A service may call only the services in its row; adding an arrow
 * here is a decision about the architecture, not a convenience.
 */
const mayCall: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  gateway: ["auth", "ingest", "eval-runs", "judge", "monitor", "dropin"],
  // Reports prices at once (decision 42), and needs no answer.
  auth: ["ingest"],
  ingest: [],
  "eval-runs": ["ingest", "judge", "monitor"],
  judge: ["auth"],
  monitor: ["ingest", "judge"],
  dropin: ["auth", "ingest", "eval-runs", "monitor"],
};

/**
 * The call graph as text, from the contracts alone. Throws on an arrow that the architecture does not allow and on a
 * cycle. Events are listed but are no arrows: their publisher waits for no reader and knows none.
 */
export function describeServiceGraph({ routes, internalRoutes, busMessages }: ServiceGraphInput): string {
  const requests = busMessages.filter((message) => message.kind === "request");
  const events = busMessages.filter((message) => message.kind === "event");
  const calls: { from: ServiceName; to: ServiceName; what: string }[] = [
    ...routes
      .filter(({ owner }) => owner !== "gateway")
      .flatMap(({ owner, method, path, alsoAskedBy = [] }) =>
        ["gateway" as const, ...alsoAskedBy].map((from) => ({ from, to: owner, what: `http ${method} ${path}` })),
      ),
    ...internalRoutes.flatMap(({ askedBy, owner, method, path }) =>
      askedBy.map((from) => ({ from, to: owner, what: `http ${method} ${path}` })),
    ),
    ...requests.flatMap(({ askedBy, answeredBy, subject }) =>
      askedBy.map((from) => ({ from, to: answeredBy, what: `bus ${subject}` })),
    ),
  ];
  refuseCycles(calls);
  for (const { from, to, what } of calls) {
    if (!mayCall[from].includes(to)) {
      throw new Error(`${from} may not call ${to} (${what}): the architecture has no such arrow.`);
    }
  }

  const arrows = Map.groupBy(calls, ({ from, to }) => `${from} -> ${to}`);
  const lines = ["# Who calls whom, and over what."];
  for (const arrow of [...arrows.keys()].sort()) {
    lines.push("", arrow, ...(arrows.get(arrow) ?? []).map(({ what }) => `  ${what}`).sort());
  }
  lines.push("", "# Events: who announces what, and who reacts.", "");
  for (const { subject, publishedBy, consumedBy } of events) {
    lines.push(`${subject}: ${publishedBy} => ${[...consumedBy].sort().join(", ")}`);
  }
  return `${lines.join("\n")}\n`;
}

function refuseCycles(calls: readonly { from: ServiceName; to: ServiceName }[]): void {
  const called = Map.groupBy(calls, ({ from }) => from);
  const visit = (service: ServiceName, path: readonly ServiceName[]): void => {
    if (path.includes(service))
      throw new Error(`Services call each other in a circle: ${[...path, service].join(" -> ")}.`);
    for (const { to } of called.get(service) ?? []) visit(to, [...path, service]);
  };
  for (const service of called.keys()) visit(service, []);
}
