import { type Route, routeAliases, routes } from "@touchstone/contracts";

/** One address of the gateway. */
export interface Address {
  method: string;
  /** In the form of the contracts: `{name}` for a parameter. */
  path: string;
  route: Route;
}

/**
 * Every address: the routes, their aliases, and the OTLP paths with a trailing slash, which some exporters send. Routes
 * for signed-in users exist only if accounts are enabled.
 */
export function listAddresses({ hasAccounts }: { hasAccounts: boolean }): Address[] {
  const isThere = ({ authentication }: Route): boolean =>
    hasAccounts || authentication.some((way) => way !== "account" && way !== "session");
  const own = Object.values<Route>(routes).filter(isThere);
  const aliases = routeAliases
    .map(({ path, routeId }) => ({ path, route: routes[routeId] as Route }))
    .filter(({ route }) => isThere(route));
  const withSlash = own
    .filter(({ envelope }) => envelope === "otlp")
    .map((route) => ({ path: `${route.path}/`, route }));
  return [...own.map((route) => ({ path: route.path, route })), ...aliases, ...withSlash].flatMap(({ path, route }) =>
    methodsOf(route).map((method) => ({ method, path, route })),
  );
}

/** HEAD is accepted wherever GET is. */
function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** The addresses of the OTLP listener: the standard paths, with or without a trailing slash (otlp 1). */
export function listOtlpAddresses(): Address[] {
  const { receiveTraces, receiveLogs, receiveMetrics } = routes;
  const standard: [string, Route][] = [
    ["/v1/traces", receiveTraces],
    ["/v1/logs", receiveLogs],
    ["/v1/metrics", receiveMetrics],
  ];
  return standard.flatMap(([path, route]) =>
    [path, `${path}/`].map((each) => ({ method: route.method, path: each, route })),
  );
}

/** Finds the methods of a path; none for an unknown path. Needed only to tell 405 from 404. */
export function createMethodFinder(addresses: readonly Address[]): (path: string) => string[] {
  const patterns = addresses.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}

/**
 * The target at the owner: the canonical path and the query string, with parameters as the client wrote them, since
 * decoding and encoding could change them. `matched` is the matched address, with parameters written `:name`.
 */
export function targetOf(route: Route, matched: string, requestTarget: string): string {
  // A client that treats the gateway as a proxy sends the whole URL.
  const target = requestTarget.replace(/^https?:\/\/[^/?#]*/i, "");
  const question = target.indexOf("?");
  const sent = (question < 0 ? target : target.slice(0, question)).split("/");
  const places = matched.split("/");
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => sent[places.indexOf(`:${name}`)] ?? "");
  return question < 0 ? path : path + target.slice(question);
}
