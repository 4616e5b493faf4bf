import { type Route, routeAliases, routes } from "@touchstone/contracts";

/** One address the gateway answers. */
export interface Address {
  method: string;
  /** As the contracts write it: `{name}` for a parameter. */
  path: string;
  route: Route;
}

/**
 * Every address: the routes, their aliases, and the OTLP paths with a slash at the end, as some exporters send them. What
 * only who is signed in can use is there only where accounts are.
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

/** HEAD is answered wherever GET is. */
function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** The addresses of the OTLP listener: the standard paths, with or without a slash at the end (otlp 1). */
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

/** Answers the methods a path takes; none for a path that is not there. Needed only to tell 405 from 404. */
export function createMethodFinder(addresses: readonly Address[]): (path: string) => string[] {
  const patterns = addresses.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}

/**
 * Where a request goes at the owner: the canonical path, with parameters as the client wrote them, since decoding and
 * encoding them again would not be the identity. With the query string. `matched` is the address that it came to, with
 * parameters written `:name`.
 */
export function targetOf(route: Route, matched: string, requestTarget: string): string {
  // A client that takes us for a proxy sends the whole URL.
  const target = requestTarget.replace(/^https?:\/\/[^/?#]*/i, "");
  const question = target.indexOf("?");
  const sent = (question < 0 ? target : target.slice(0, question)).split("/");
  const places = matched.split("/");
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => sent[places.indexOf(`:${name}`)] ?? "");
  return question < 0 ? path : path + target.slice(question);
}
