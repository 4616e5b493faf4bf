import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { list, number, oneOf, searchOf, text } from "../ui/search-params.ts";
import { caseOrders } from "./case-rows.ts";
import { shows } from "./compare-rows.ts";

const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs",
  validateSearch: searchOf({
    search: text,
    dataset: text,
    status: oneOf(["in_progress", "completed", "failed"]),
    subject: text,
    source: text,
    from: text,
    to: text,
    selected: list,
  }),
  component: lazyRouteComponent(() => import("./runs-page.tsx"), "RunsPage"),
});

const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs/compare",
  validateSearch: searchOf({
    baseline: text,
    candidate: list,
    of: text,
    case: text,
    show: oneOf(shows),
    scorer: text,
  }),
  component: lazyRouteComponent(() => import("./compare-page.tsx"), "ComparePage"),
});

const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs/$runId",
  validateSearch: searchOf({
    tab: oneOf(["report", "missing"]),
    case: text,
    scorer: text,
    status: oneOf(["scored", "skipped", "failed"]),
    above: number,
    max: number,
    sort: oneOf(caseOrders),
  }),
  component: lazyRouteComponent(() => import("./run-page.tsx"), "RunPage"),
});

export const runsRoutes = [runsRoute, compareRoute, runRoute] as const;
