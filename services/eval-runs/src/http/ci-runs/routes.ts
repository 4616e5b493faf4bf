import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { CiFinalizingDependencies } from "../../ci-runs/finalize-ci-run.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import type { Gradings } from "../../grading/gradings.ts";
import type { BatchScorer } from "../../results/batch-scorer.ts";
import { createCiRun } from "./create-ci-run.ts";
import { finalizeCiRun } from "./finalize-ci-run.ts";
import { getCiRun } from "./get-ci-run.ts";
import { listCiRuns } from "./list-ci-runs.ts";
import { listTestCases } from "./list-test-cases.ts";
import { submitCiResults } from "./submit-ci-results.ts";

/** What pipelines ask (completions 8). */
export function ciRunRoutes(
  dependencies: CiFinalizingDependencies & {
    datasets: DatasetStore;
    gradings: Gradings;
    scorer: BatchScorer;
  },
): ServedRoute[] {
  const { datasets, gradings, results, scorer, ciRuns, database, runs, batchMs, signal, clock } = dependencies;
  const finalizing = { ciRuns, database, runs, results, batchMs, signal, clock };
  return [
    { route: routes.createCiRun, handle: createCiRun({ datasets, gradings, ciRuns, clock }) },
    { route: routes.listCiRuns, handle: listCiRuns({ ciRuns }) },
    { route: routes.getCiRun, handle: getCiRun({ ciRuns, runs, gradings }) },
    { route: routes.submitCiResults, handle: submitCiResults({ ...finalizing, gradings, scorer }) },
    { route: routes.finalizeCiRun, handle: finalizeCiRun({ ...finalizing, gradings }) },
    { route: routes.listTestCases, handle: listTestCases({ datasets, gradings }) },
  ];
}
