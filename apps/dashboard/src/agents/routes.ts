import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { oneOf, searchOf, text } from "../ui/search-params.ts";
import { deliveryStatuses, windows } from "./rules.ts";

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "agents",
  validateSearch: searchOf({
    tab: oneOf(["agents", "patterns", "alerts", "webhooks", "deliveries"]),
    window: oneOf(windows),
    open: text,
    webhook: text,
    status: oneOf(deliveryStatuses),
  }),
  component: lazyRouteComponent(() => import("./agents-page.tsx"), "AgentsPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "agents/$agentId",
  validateSearch: searchOf({
    tab: oneOf(["figures", "patterns", "alerts", "watching"]),
    window: oneOf(windows),
    open: text,
  }),
  component: lazyRouteComponent(() => import("./agent-page.tsx"), "AgentPage"),
});

export const agentsRoutes = [agentsRoute, agentRoute] as const;
