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
    /** The trace id of the selected turn. */
    turn: text,
    /** The key of the explained verdict on the selected turn; `session` is the session's own. */
    why: text,
  }),
  component: lazyRouteComponent(() => import("./session-page.tsx"), "SessionPage"),
});

export const sessionsRoutes = [sessionsRoute, sessionRoute] as const;
