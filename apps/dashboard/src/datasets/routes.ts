import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { number, oneOf, searchOf, text } from "../ui/search-params.ts";

const datasetsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "datasets",
  validateSearch: searchOf({ search: text }),
  component: lazyRouteComponent(() => import("./datasets-page.tsx"), "DatasetsPage"),
});

const datasetRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "datasets/$datasetId",
  validateSearch: searchOf({
    tab: oneOf(["cases", "versions", "runs", "settings"]),
    case: number,
    edit: oneOf(["case", "new", "settings"]),
    search: text,
    version: number,
    against: number,
  }),
  component: lazyRouteComponent(() => import("./dataset-page.tsx"), "DatasetPage"),
});

export const datasetsRoutes = [datasetsRoute, datasetRoute] as const;
