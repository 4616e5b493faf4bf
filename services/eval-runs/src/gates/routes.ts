import { routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { DatasetStore } from "../datasets/dataset-store.ts";
import { compareRuns } from "../http/gates/compare-runs.ts";
import { compareVersions } from "../http/gates/compare-versions.ts";
import { gateRun } from "../http/gates/gate-run.ts";
import { listGates } from "../http/gates/list-gates.ts";
import { previewGate } from "../http/gates/preview-gate.ts";
import type { DatasetNames } from "../runs/dataset-names.ts";
import { createGateKeeper, type GateDependencies } from "./gate-keeper.ts";

/** Verdicts on whole runs, and runs side by side. */
export function gateRoutes(
  dependencies: GateDependencies & { database: Database; datasets: DatasetStore; names: DatasetNames },
): ServedRoute[] {
  const { database, runs, gates, gradings, datasets, results, names } = dependencies;
  const keeper = createGateKeeper(dependencies);
  return [
    { route: routes.gateRun, handle: gateRun({ keeper }) },
    { route: routes.listGates, handle: listGates({ gates, names }) },
    { route: routes.previewGate, handle: previewGate({ keeper, gates, datasets }) },
    { route: routes.compareRuns, handle: compareRuns({ runs, results, gradings }) },
    { route: routes.compareVersions, handle: compareVersions({ datasets, database }) },
  ];
}
