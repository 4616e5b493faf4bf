import { internalRoutes, routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import type { ReadGrading } from "../datasets/grading-cache.ts";
import type { ExportStore } from "../export/export-store.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { ResultStore } from "../results/result-store.ts";
import type { FinalizingDependencies } from "../runs/finalize-run.ts";
import { createDataset } from "./datasets/create-dataset.ts";
import { getDataset } from "./datasets/get-dataset.ts";
import { listDatasets } from "./datasets/list-datasets.ts";
import { countExported } from "./export/count-exported.ts";
import { exportDatasetVersions } from "./export/export-dataset-versions.ts";
import { exportDatasets } from "./export/export-datasets.ts";
import { exportRunResults } from "./export/export-run-results.ts";
import { exportRuns } from "./export/export-runs.ts";
import { createRun } from "./runs/create-run.ts";
import { finalizeRun } from "./runs/finalize-run.ts";
import { getRun } from "./runs/get-run.ts";
import { submitResults } from "./runs/submit-results.ts";

export interface RouteDependencies extends FinalizingDependencies {
  datasets: DatasetStore;
  results: ResultStore;
  readGrading: ReadGrading;
  scorer: BatchScorer;
  exports: ExportStore;
  clock: Clock;
}

/** Every route this service answers, with what each one needs. */
export function evalRunsRoutes(dependencies: RouteDependencies): ServedRoute[] {
  const { datasets, runs, results, readGrading, scorer, clock, database, batchMs, signal, exports } = dependencies;
  return [
    { route: routes.createDataset, handle: createDataset({ datasets, clock }) },
    { route: routes.listDatasets, handle: listDatasets({ datasets }) },
    { route: routes.getDataset, handle: getDataset({ datasets }) },
    { route: routes.createRun, handle: createRun({ datasets, runs, clock }) },
    { route: routes.getRun, handle: getRun({ runs, results }) },
    { route: routes.submitResults, handle: submitResults({ runs, results, readGrading, scorer }) },
    { route: routes.finalizeRun, handle: finalizeRun({ runs, results, database, batchMs, signal }) },
    { route: routes.exportDatasets, handle: exportDatasets({ exports }) },
    { route: routes.exportDatasetVersions, handle: exportDatasetVersions({ exports }) },
    { route: routes.exportRuns, handle: exportRuns({ exports }) },
    { route: routes.exportRunResults, handle: exportRunResults({ exports }) },
    { route: internalRoutes.countEvalRunsExport, handle: countExported({ exports }) },
  ];
}
