import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";

const judgesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges",
  validateSearch: searchOf({ tab: text }),
  component: lazyRouteComponent(() => import("./judges-page.tsx"), "JudgesPage"),
});

const judgeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/$judgeId",
  validateSearch: searchOf({ version: text }),
  component: lazyRouteComponent(() => import("./judge-page.tsx"), "JudgePage"),
});

const agreementRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/$judgeId/agreement",
  validateSearch: searchOf({ version: text, cell: text }),
  component: lazyRouteComponent(() => import("./agreement-page.tsx"), "AgreementPage"),
});

export const judgesRoutes = [judgesRoute, judgeRoute, agreementRoute] as const;
