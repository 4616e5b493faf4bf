import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";

const inboxRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "inbox",
  validateSearch: searchOf({ status: text, severity: text, agent: text, search: text, open: text }),
  component: lazyRouteComponent(() => import("./inbox-page.tsx"), "InboxPage"),
});

export const inboxRoutes = [inboxRoute] as const;
