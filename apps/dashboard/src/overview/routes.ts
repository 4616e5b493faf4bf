import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";

const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: searchOf({ window: text }),
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});

export const overviewRoutes = [overviewRoute] as const;
