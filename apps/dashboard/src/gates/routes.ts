import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, number, oneOf, searchOf, text } from "../ui/search-params.ts";

const gatesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "gates",
  validateSearch: searchOf({ branch: text, commit: text, dataset: text, run: text, try: flag }),
  component: lazyRouteComponent(() => import("./gates-page.tsx"), "GatesPage"),
});

const ciRunRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "gates/ci/$ciRunId",
  validateSearch: searchOf({
    /** The cases that are listed; if absent, those that failed. */
    show: oneOf(["passed"]),
    /** The number of the case whose rating the panel explains. */
    why: number,
  }),
  component: lazyRouteComponent(() => import("./ci-run-page.tsx"), "CiRunPage"),
});

export const gatesRoutes = [gatesRoute, ciRunRoute] as const;
