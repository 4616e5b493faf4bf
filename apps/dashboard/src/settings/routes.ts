import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";

const settingsIndexRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "settings",
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "settings/$tab",
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

export const settingsRoutes = [settingsIndexRoute, settingsRoute] as const;
