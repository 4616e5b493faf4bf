import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { analyzeRun } from "../http/analyses/analyze-run.ts";
import { getAnalysisStatus } from "../http/analyses/get-analysis-status.ts";
import { getReport } from "../http/analyses/get-report.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { AnalysisDependencies } from "./analyze-run.ts";

/** The analysis of a run and its report. */
export function analysisRoutes(dependencies: AnalysisDependencies & { runs: RunStore }): ServedRoute[] {
  return [
    { route: routes.analyzeRun, handle: analyzeRun(dependencies) },
    { route: routes.getAnalysisStatus, handle: getAnalysisStatus(dependencies) },
    { route: routes.getReport, handle: getReport(dependencies) },
  ];
}
