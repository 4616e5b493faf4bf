import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { severities } from "../blocks/severities.ts";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, oneOf, searchOf, text } from "../ui/search-params.ts";
import { statusChoices } from "./rules.ts";

const inboxRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "inbox",
  validateSearch: searchOf({
    status: oneOf(statusChoices),
    severity: oneOf(severities),
    agent: text,
    search: text,
    open: text,
    seen: text,
    // The start of one day of the trend, or every day.
    day: text,
    why: flag,
  }),
  component: lazyRouteComponent(() => import("./inbox-page.tsx"), "InboxPage"),
});

export const inboxRoutes = [inboxRoute] as const;
