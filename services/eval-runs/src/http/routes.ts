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
import { exportEntity } from "./export/export-entity.ts";
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
    { route: routes.exportDatasets, handle: exportEntity({ exports }, "datasets") },
    { route: routes.exportDatasetVersions, handle: exportEntity({ exports }, "dataset-versions") },
    { route: routes.exportRuns, handle: exportEntity({ exports }, "runs") },
    { route: routes.exportRunResults, handle: exportEntity({ exports }, "run-results") },
    { route: internalRoutes.countEvalRunsExport, handle: countExported({ exports }) },
  ];
}
