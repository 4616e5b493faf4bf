import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { list, oneOf, searchOf, text } from "../ui/search-params.ts";
import { readTracesSearch } from "./list-search.ts";

const tracesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces",
  validateSearch: readTracesSearch,
  component: lazyRouteComponent(() => import("./traces-page.tsx"), "TracesPage"),
});

const votesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "votes",
  validateSearch: searchOf({
    rating: oneOf(["up", "down"]),
    /** ISO 8601, or a window such as `24h`. */
    from: text,
    to: text,
  }),
  component: lazyRouteComponent(() => import("./votes-page.tsx"), "VotesPage"),
});

const traceRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces/$traceId",
  validateSearch: searchOf({
    span: text,
    tab: oneOf(["chat", "verdicts", "scores", "attributes", "raw"]),
    zoom: text,
    fold: list,
  }),
  component: lazyRouteComponent(() => import("./trace-page.tsx"), "TracePage"),
});

export const tracesRoutes = [tracesRoute, votesRoute, traceRoute] as const;
