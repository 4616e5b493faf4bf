import type { StatedCase, StatedDataset } from "../dataset.ts";
import type { Grading } from "../evaluate.ts";

/** What the workers of a test runner ask the set-up for: the same choice gets the same run. */
export interface RunRequest {
  dataset: string | readonly StatedCase[] | StatedDataset;
  subject?: Readonly<Record<string, unknown>> | undefined;
  judge?: Grading | undefined;
}

/** The run, and the version of the dataset that it asks. */
export interface SharedRun {
  runId: string;
  datasetId: string;
  datasetVersion: number | null;
}
