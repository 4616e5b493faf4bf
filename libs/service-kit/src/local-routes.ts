/** Finds the route of a request without a router, for callers in this process. */
export interface LocalRoutes<Route> {
  /** `path` as in the contract: `/api/v1/traces/{traceId}`. */
  add(method: string, path: string, route: Route): void;
  /**
   * The route, and the parameters of its path. A route that names a segment precedes one that has a parameter there. Null where
   * none fits, and for a path with an escape, which the router has to decode.
   */
  find(method: string, path: string): FoundRoute<Route> | null;
}

export interface FoundRoute<Route> {
  route: Route;
  params: Readonly<Record<string, string>>;
}

/** One segment of a path: the text it must be, or the parameter it gives. */
type Segment = { text: string } | { parameter: string };

interface Template<Route> {
  segments: readonly Segment[];
  route: Route;
}

const noParams = {};

export function createLocalRoutes<Route>(): LocalRoutes<Route> {
  const exact = new Map<string, Route>();
  const templates = new Map<string, Template<Route>[]>();
  const keyOf = (method: string, segments: readonly unknown[]): string => `${method} ${segments.length}`;

  return {
    add(method, path, route) {
      if (!path.includes("{")) {
        exact.set(`${method} ${path}`, route);
        return;
      }
      const segments = path.split("/").map(readSegment);
      const alike = templates.get(keyOf(method, segments)) ?? [];
      alike.push({ segments, route });
      templates.set(keyOf(method, segments), alike.sort(compareNamedFirst));
    },
    find(method, path) {
      const route = exact.get(`${method} ${path}`);
      if (route !== undefined) return { route, params: noParams };
      if (path.includes("%")) return null;
      const parts = path.split("/");
      const found = templates.get(keyOf(method, parts))?.find(({ segments }) => fits(segments, parts));
      return found === undefined ? null : { route: found.route, params: paramsOf(found.segments, parts) };
    },
  };
}

function readSegment(text: string): Segment {
  return text.startsWith("{") ? { parameter: text.slice(1, -1) } : { text };
}

function compareNamedFirst(one: Template<unknown>, other: Template<unknown>): number {
  for (const [at, segment] of one.segments.entries()) {
    const difference = Number("parameter" in segment) - Number("parameter" in (other.segments[at] as Segment));
    if (difference !== 0) return difference;
  }
  return 0;
}

function fits(segments: readonly Segment[], parts: readonly string[]): boolean {
  return segments.every((segment, at) => ("text" in segment ? segment.text === parts[at] : parts[at] !== ""));
}

function paramsOf(segments: readonly Segment[], parts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, at) => ("parameter" in segment ? [[segment.parameter, parts[at] as string]] : [])),
  );
}
