import type { Bus } from "@touchstone/bus";
import { routes } from "@touchstone/contracts";
import type { Clock, ServedRoute } from "@touchstone/service-kit";
import { addCases } from "../http/datasets/add-cases.ts";
import { countDatasetVersions } from "../http/datasets/count-dataset-versions.ts";
import { createDataset } from "../http/datasets/create-dataset.ts";
import { deleteCase } from "../http/datasets/delete-case.ts";
import { deleteDataset } from "../http/datasets/delete-dataset.ts";
import { deleteDatasetVersion } from "../http/datasets/delete-dataset-version.ts";
import { getDataset } from "../http/datasets/get-dataset.ts";
import { listDatasetVersions } from "../http/datasets/list-dataset-versions.ts";
import { previewCase } from "../http/datasets/preview-case.ts";
import { updateDataset } from "../http/datasets/update-dataset.ts";
import type { IngestClient } from "../ingest-client.ts";
import type { Timings } from "../timings.ts";
import type { DatasetBook } from "./dataset-book.ts";
import type { DatasetStore } from "./dataset-store.ts";
import type { DatasetSummaryStore } from "./dataset-summary-store.ts";
import { importCases } from "./import-cases.ts";
import { importDataset } from "./import-dataset.ts";
import { listDatasets } from "./list-datasets.ts";
import { putCase } from "./put-case.ts";
import { suggestExpected } from "./suggest-expected.ts";

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
