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
    /** The view of the open case's answers; side by side if absent. */
    text: oneOf(["diff", "expected"]),
    /** The panel explains this side's rating. */
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
    /** The metric or code scorer whose value of each case is shown. */
    metric: text,
    case: text,
    /** The id of the shown repetition of the open case; if absent, the one with the worst rating. */
    result: text,
    /** The text with which the open case's answer is compared. */
    text: oneOf(["expected", "earlier"]),
    /** The panel explains the open case's rating: the key of a verdict. */
    why: text,
  }),
  component: lazyRouteComponent(() => import("./run-page.tsx"), "RunPage"),
});

export const runsRoutes = [runsRoute, compareRoute, runRoute] as const;
