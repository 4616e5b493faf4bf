import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";

const sessionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "sessions",
  validateSearch: searchOf({ search: text, agent: text }),
  component: lazyRouteComponent(() => import("./sessions-page.tsx"), "SessionsPage"),
});

const sessionRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "sessions/$sessionId",
  validateSearch: searchOf({ turn: text }),
  component: lazyRouteComponent(() => import("./session-page.tsx"), "SessionPage"),
});

export const sessionsRoutes = [sessionsRoute, sessionRoute] as const;
