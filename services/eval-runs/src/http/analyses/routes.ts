import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { AnalysisDependencies } from "../../analyses/analyze-run.ts";
import type { RunStore } from "../../runs/run-store.ts";
import { analyzeRun } from "./analyze-run.ts";
import { getAnalysisStatus } from "./get-analysis-status.ts";
import { getReport } from "./get-report.ts";

/** The analysis of a run and its report. */
export function analysisRoutes(dependencies: AnalysisDependencies & { runs: RunStore }): ServedRoute[] {
  return [
    { route: routes.analyzeRun, handle: analyzeRun(dependencies) },
    { route: routes.getAnalysisStatus, handle: getAnalysisStatus(dependencies) },
    { route: routes.getReport, handle: getReport(dependencies) },
  ];
}
