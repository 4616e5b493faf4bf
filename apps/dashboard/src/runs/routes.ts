import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { list, number, oneOf, searchOf, text } from "../ui/search-params.ts";
import { caseOrders } from "./case-rows.ts";
import { compareOrders, shows } from "./compare-rows.ts";
import { readRunsSearch } from "./run-filters.ts";

const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs",
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(() => import("./runs-page.tsx"), "RunsPage"),
});

const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs/compare",
  validateSearch: searchOf({
    baseline: text,
    candidate: list,
    /** The candidate whose cases are listed. */
    of: text,
    show: oneOf(shows),
    sort: oneOf(compareOrders),
    scorer: text,
    case: text,
    /** How the answers of the open case are shown; absent, side by side. */
    text: oneOf(["diff", "expected"]),
    /** The panel shows why this side of the case is rated so. */
    why: oneOf(["baseline", "candidate"]),
  }),
  component: lazyRouteComponent(() => import("./compare-page.tsx"), "ComparePage"),
});

const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "runs/$runId",
  validateSearch: searchOf({
    tab: oneOf(["report", "missing"]),
    scorer: text,
    status: oneOf(["scored", "skipped", "failed"]),
    above: number,
    max: number,
    sort: oneOf(caseOrders),
    case: text,
    /** The repetition of the open case that is shown, an id; absent, the one rated worst. */
    result: text,
    /** What the answer of the open case is held against. */
    text: oneOf(["expected", "earlier"]),
    /** The panel shows why the open case is rated so: the key of a verdict. */
    why: text,
  }),
  component: lazyRouteComponent(() => import("./run-page.tsx"), "RunPage"),
});

export const runsRoutes = [runsRoute, compareRoute, runRoute] as const;
