import { createRouter } from "@tanstack/react-router";
import { accountsRoutes } from "./accounts/routes.ts";
import { agentsRoutes } from "./agents/routes.ts";
import { createQueries } from "./api/queries.ts";
import { datasetsRoutes } from "./datasets/routes.ts";
import { gatesRoutes } from "./gates/routes.ts";
import { inboxRoutes } from "./inbox/routes.ts";
import { judgesRoutes } from "./judges/routes.ts";
import { overviewRoutes } from "./overview/routes.ts";
import { promptsRoutes } from "./prompts/routes.ts";
import { runsRoutes } from "./runs/routes.ts";
import { sessionsRoutes } from "./sessions/routes.ts";
import { settingsRoutes } from "./settings/routes.ts";
import { BrokenPage } from "./shell/broken-page.tsx";
import { homeRoute, projectRoute, rootRoute } from "./shell/project-route.tsx";
import { tracesRoutes } from "./traces/routes.ts";
import { parseSearch, stringifySearch } from "./ui/search-params.ts";

/**
 * Every page. Each feature lists its own in its `routes.ts`: the path, its search parameters, and the page, which is loaded when
 * opened.
 */
const routeTree = rootRoute.addChildren([
  homeRoute,
  ...accountsRoutes,
  projectRoute.addChildren([
    ...overviewRoutes,
    ...tracesRoutes,
    ...sessionsRoutes,
    ...inboxRoutes,
    ...datasetsRoutes,
    ...runsRoutes,
    ...gatesRoutes,
    ...judgesRoutes,
    ...promptsRoutes,
    ...agentsRoutes,
    ...settingsRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { queries: createQueries() },
  parseSearch,
  stringifySearch,
  scrollRestoration: false,
  defaultErrorComponent: BrokenPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
