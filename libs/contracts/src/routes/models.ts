import { judgeModelList, modelCatalogue } from "../http/models.ts";
import type { Route } from "../route.ts";
import { dataPlane, prefix } from "./route-parts.ts";

/** The models that a judge can use. */
export const modelRoutes = {
  listJudgeModels: {
    ...dataPlane,
    owner: "auth",
    keyRateGroup: "evaluation",
    id: "listJudgeModels",
    method: "GET",
    path: `${prefix}/custom-agent-evaluations/models`,
    responses: { 200: { description: "The models with their prices.", schema: judgeModelList } },
    summary: "List models to judge with.",
    section: "completions 7.5",
  },
  readModelCatalogue: {
    ...dataPlane,
    owner: "auth",
    id: "readModelCatalogue",
    method: "GET",
    path: `${prefix}/agent-monitoring/models/catalog`,
    responses: { 200: { description: "The models by id and label.", schema: modelCatalogue } },
    summary: "List the model catalogue.",
    section: "completions 7.5",
  },
} as const satisfies Record<string, Route>;
