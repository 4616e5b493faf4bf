import { routes } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { ServedRoute } from "@touchstone/service-kit";
import type { DatasetNames } from "../../datasets/dataset-names.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import { createGateKeeper, type GateDependencies } from "../../gates/gate-keeper.ts";
import { compareRuns } from "./compare-runs.ts";
import { compareVersions } from "./compare-versions.ts";
import { gateRun } from "./gate-run.ts";
import { listGates } from "./list-gates.ts";
import { previewGate } from "./preview-gate.ts";

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
