import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { finalizeCiRun } from "../http/ci-runs/finalize-ci-run.ts";
import { getCiRun } from "../http/ci-runs/get-ci-run.ts";
import { listCiRuns } from "../http/ci-runs/list-ci-runs.ts";
import { listTestCases } from "../http/ci-runs/list-test-cases.ts";
import type { BatchScorer } from "../results/batch-scorer.ts";
import type { Gradings } from "../runs/gradings.ts";
import { createCiRun } from "./create-ci-run.ts";
import type { CiFinalizingDependencies } from "./finalize-ci-run.ts";
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
