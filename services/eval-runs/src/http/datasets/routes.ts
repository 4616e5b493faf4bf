import type { Bus } from "@touchstone/bus";
import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import type { DatasetBook } from "../../datasets/dataset-book.ts";
import type { DatasetStore } from "../../datasets/dataset-store.ts";
import type { DatasetSummaryStore } from "../../datasets/dataset-summary-store.ts";
import type { Timings } from "../../timings.ts";
import type { IngestClient } from "../../traces/ingest-client.ts";
import { addCases } from "./add-cases.ts";
import { countDatasetVersions } from "./count-dataset-versions.ts";
import { createDataset } from "./create-dataset.ts";
import { deleteCase } from "./delete-case.ts";
import { deleteDataset } from "./delete-dataset.ts";
import { deleteDatasetVersion } from "./delete-dataset-version.ts";
import { getDataset } from "./get-dataset.ts";
import { importCases } from "./import-cases.ts";
import { importDataset } from "./import-dataset.ts";
import { listDatasetVersions } from "./list-dataset-versions.ts";
import { listDatasets } from "./list-datasets.ts";
import { previewCase } from "./preview-case.ts";
import { putCase } from "./put-case.ts";
import { suggestExpected } from "./suggest-expected.ts";
import { updateDataset } from "./update-dataset.ts";

/** What is done with datasets, their cases and their versions. */
export function datasetRoutes(dependencies: {
  datasets: DatasetStore;
  book: DatasetBook;
  summaries: DatasetSummaryStore;
  ingest: IngestClient;
  bus: Bus;
  timings: Timings;
  clock: Clock;
}): ServedRoute[] {
  return [
    { route: routes.createDataset, handle: createDataset(dependencies) },
    { route: routes.listDatasets, handle: listDatasets(dependencies) },
    { route: routes.putCase, handle: putCase(dependencies) },
    { route: routes.deleteCase, handle: deleteCase(dependencies) },
    { route: routes.getDataset, handle: getDataset(dependencies) },
    { route: routes.updateDataset, handle: updateDataset(dependencies) },
    { route: routes.deleteDataset, handle: deleteDataset(dependencies) },
    { route: routes.addCases, handle: addCases(dependencies) },
    { route: routes.previewCase, handle: previewCase(dependencies) },
    { route: routes.suggestExpected, handle: suggestExpected(dependencies) },
    { route: routes.importDataset, handle: importDataset(dependencies) },
    { route: routes.importCases, handle: importCases(dependencies) },
    { route: routes.listDatasetVersions, handle: listDatasetVersions(dependencies) },
    { route: routes.deleteDatasetVersion, handle: deleteDatasetVersion(dependencies) },
    { route: routes.countDatasetVersions, handle: countDatasetVersions(dependencies) },
  ];
}
