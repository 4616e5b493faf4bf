import { verdictParams, verdictRecord } from "../http/verdicts.ts";
import type { Route } from "../route.ts";
import { dataPlane, error, prefix } from "./route-parts.ts";

/** The records behind verdicts, wherever their ids are shown: results, live ratings, evaluations of traces. */
export const verdictRoutes = {
  readVerdict: {
    ...dataPlane,
    id: "readVerdict",
    method: "GET",
    path: `${prefix}/verdicts/{verdictId}`,
    owner: "gateway",
    params: verdictParams,
    responses: {
      200: { description: "What the judge was sent, and what it replied.", schema: verdictRecord },
      404: error("The project has no such record, or it is no longer kept."),
    },
    summary: "Read the record behind a verdict.",
    section: "decision 43",
  },
} as const satisfies Record<string, Route>;
