import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { drawAgreementSample } from "../http/dashboards/draw-agreement-sample.ts";
import { readAgentFigures } from "../http/dashboards/read-agent-figures.ts";
import { readCalibration } from "../http/dashboards/read-calibration.ts";
import { readKpis } from "../http/dashboards/read-kpis.ts";
import { readModelComparison } from "../http/dashboards/read-model-comparison.ts";
import { readPerformance } from "../http/dashboards/read-performance.ts";
import { readTrend } from "../http/dashboards/read-trend.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { AgreementReader } from "./agreement-reader.ts";
import { listAgreementPairs } from "./list-agreement-pairs.ts";
import type { ModelReader } from "./model-reader.ts";
import { readTopFailing } from "./read-top-failing.ts";
import type { TrafficReader } from "./traffic-reader.ts";

/** How the live traffic does (completions 9.5). */
export function dashboardRoutes(dependencies: {
  traffic: TrafficReader;
  models: ModelReader;
  agreement: AgreementReader;
  ingest: IngestClient;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.readKpis, handle: readKpis(dependencies) },
    { route: routes.readTrend, handle: readTrend(dependencies) },
    { route: routes.readPerformance, handle: readPerformance(dependencies) },
    { route: routes.readTopFailing, handle: readTopFailing(dependencies) },
    { route: routes.readAgentFigures, handle: readAgentFigures(dependencies) },
    { route: routes.readModelComparison, handle: readModelComparison(dependencies) },
    { route: routes.readCalibration, handle: readCalibration(dependencies) },
    { route: routes.listAgreementPairs, handle: listAgreementPairs(dependencies) },
    { route: routes.drawAgreementSample, handle: drawAgreementSample(dependencies) },
  ];
}
