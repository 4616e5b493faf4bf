import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";
import { readSessionsSearch } from "./session-list.ts";

const sessionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "sessions",
  validateSearch: readSessionsSearch,
  component: lazyRouteComponent(() => import("./sessions-page.tsx"), "SessionsPage"),
});

const sessionRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "sessions/$sessionId",
  validateSearch: searchOf({
    /** The id of the chosen turn's trace. */
    turn: text,
    /** The key of the verdict that is explained, of the chosen turn; `session` is the session's own. */
    why: text,
  }),
  component: lazyRouteComponent(() => import("./session-page.tsx"), "SessionPage"),
});

export const sessionsRoutes = [sessionsRoute, sessionRoute] as const;
