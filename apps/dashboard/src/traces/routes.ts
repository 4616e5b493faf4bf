import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, list, number, oneOf, searchOf, text } from "../ui/search-params.ts";

const tracesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces",
  validateSearch: searchOf({
    search: text,
    agent: text,
    model: text,
    framework: text,
    source: oneOf(["production", "eval"]),
    error: flag,
    from: text,
    to: text,
    rating: oneOf(["failing", "passing", "rated"]),
    session: text,
    slow: number,
    peek: text,
  }),
  component: lazyRouteComponent(() => import("./traces-page.tsx"), "TracesPage"),
});

const traceRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "traces/$traceId",
  validateSearch: searchOf({
    span: text,
    tab: oneOf(["chat", "verdicts", "attributes", "raw"]),
    zoom: text,
    fold: list,
  }),
  component: lazyRouteComponent(() => import("./trace-page.tsx"), "TracePage"),
});

export const tracesRoutes = [tracesRoute, traceRoute] as const;
