import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, number, searchOf, text } from "../ui/search-params.ts";

const gatesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "gates",
  validateSearch: searchOf({ branch: text, commit: text, dataset: text, run: text, try: flag }),
  component: lazyRouteComponent(() => import("./gates-page.tsx"), "GatesPage"),
});

const ciRunRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "gates/ci/$ciRunId",
  /** The number of the case whose rating the panel explains. */
  validateSearch: searchOf({ why: number }),
  component: lazyRouteComponent(() => import("./ci-run-page.tsx"), "CiRunPage"),
});

export const gatesRoutes = [gatesRoute, ciRunRoute] as const;
