import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { AgreementReader } from "../../agreement/agreement-reader.ts";
import type { IngestClient } from "../../ingest/ingest-client.ts";
import type { ModelReader } from "../../traffic/model-reader.ts";
import type { TrafficReader } from "../../traffic/traffic-reader.ts";
import { drawAgreementSample } from "./draw-agreement-sample.ts";
import { listAgreementPairs } from "./list-agreement-pairs.ts";
import { readAgentFigures } from "./read-agent-figures.ts";
import { readCalibration } from "./read-calibration.ts";
import { readKpis } from "./read-kpis.ts";
import { readModelComparison } from "./read-model-comparison.ts";
import { readPerformance } from "./read-performance.ts";
import { readTopFailing } from "./read-top-failing.ts";
import { readTrend } from "./read-trend.ts";

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
