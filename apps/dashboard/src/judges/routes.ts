import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/project-route.tsx";
import { flag, number, oneOf, searchOf, text } from "../ui/search-params.ts";

const judgesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges",
  validateSearch: searchOf({ tab: oneOf(["groups"]), edit: text }),
  component: lazyRouteComponent(() => import("./judges-page.tsx"), "JudgesPage"),
});

const newJudgeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/new",
  // The id of the judge to copy.
  validateSearch: searchOf({ from: text }),
  component: lazyRouteComponent(() => import("./edit-judge-page.tsx"), "NewJudgePage"),
});

const judgeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/$judgeId",
  validateSearch: searchOf({
    version: number,
    changes: flag,
    window: oneOf(["24h", "7d", "30d"]),
    // The time of the listed ratings; without it the window.
    from: text,
    to: text,
    // The trace whose rating is explained; with a session, the id of its rating.
    why: text,
    session: text,
  }),
  component: lazyRouteComponent(() => import("./judge-page.tsx"), "JudgePage"),
});

const editJudgeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/$judgeId/edit",
  component: lazyRouteComponent(() => import("./edit-judge-page.tsx"), "EditJudgePage"),
});

const agreementRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "judges/$judgeId/agreement",
  validateSearch: searchOf({
    version: number,
    cell: oneOf(["bothFail", "onlyScorerFails", "onlyPersonFails", "bothPass"]),
    why: text,
    label: flag,
  }),
  component: lazyRouteComponent(() => import("./agreement-page.tsx"), "AgreementPage"),
});

export const judgesRoutes = [judgesRoute, newJudgeRoute, judgeRoute, editJudgeRoute, agreementRoute] as const;
