import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, number, searchOf } from "../ui/search-params.ts";

const promptsListRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "prompts",
  component: lazyRouteComponent(() => import("./prompts-page.tsx"), "PromptsPage"),
});

const promptRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "prompts/$promptId",
  // Without a version the newest is shown. With `changes` the page shows how the version differs from the one before it, instead
  // of its text.
  validateSearch: searchOf({ version: number, changes: flag }),
  component: lazyRouteComponent(() => import("./prompt-page.tsx"), "PromptPage"),
});

export const promptsRoutes = [promptsListRoute, promptRoute] as const;
