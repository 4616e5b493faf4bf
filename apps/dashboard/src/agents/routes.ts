import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { oneOf, searchOf, text } from "../ui/search-params.ts";

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "agents",
  validateSearch: searchOf({ tab: oneOf(["agents", "patterns", "alerts", "webhooks"]), window: text, open: text }),
  component: lazyRouteComponent(() => import("./agents-page.tsx"), "AgentsPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "agents/$agentId",
  validateSearch: searchOf({ tab: text, window: text }),
  component: lazyRouteComponent(() => import("./agent-page.tsx"), "AgentPage"),
});

export const agentsRoutes = [agentsRoute, agentRoute] as const;
