import { AppError, type Call, isAppError, isUuid, type JsonObject, readJsonObject } from "@touchstone/service-kit";
import type { DatasetStore, StoredDataset } from "../datasets/dataset-store.ts";
import type { CiRunStore, StoredCiRun } from "./ci-run-store.ts";
import { type CiSettings, readCiSettings } from "./ci-settings.ts";

/**
 * Reads the body of a CI route. The parser's own words are kept back: they quote what was sent, and clients take any 400
 * in which they find the letters "ci" for a dataset with CI disabled (completions 8.2).
 */
export async function readCiBody(call: Call): Promise<JsonObject> {
  try {
    return await readJsonObject(call);
  } catch (thrown) {
    if (!isAppError(thrown) || thrown.code !== "body_unreadable") throw thrown;
    throw new AppError("body_unreadable", "The request body is not JSON.", { cause: thrown });
  }
}

/**
 * A member under its snake_case name, else under its camelCase one (completions 8), and which of the two it was. Null
 * says as much as leaving it out.
 */
export function readEither(
  object: Readonly<Record<string, unknown>>,
  snakeCase: string,
  camelCase: string,
): { name: string; value: unknown } {
  const value = object[snakeCase] ?? null;
  return value === null ? { name: camelCase, value: object[camelCase] ?? null } : { name: snakeCase, value };
}

/** The newest version of a dataset that pipelines may use, and by what it decides on them. */
export async function requireCiDataset(
  datasets: Pick<DatasetStore, "find">,
  projectId: string,
  datasetId: string,
): Promise<{ dataset: StoredDataset; settings: CiSettings }> {
  const dataset = isUuid(datasetId) ? await datasets.find(projectId, datasetId) : null;
  if (dataset === null) throw new AppError("not_found", "Dataset not found");
  const settings = readCiSettings(dataset.document);
  if (settings === null) throw new AppError("bad_request", "CI/CD is not enabled for this dataset");
  return { dataset, settings };
}

/** The CI run a path names; an id that cannot be one answers like one that does not exist. */
export async function requireCiRun(
  ciRuns: Pick<CiRunStore, "find">,
  projectId: string,
  id: string | undefined,
): Promise<StoredCiRun> {
  const ciRun = id !== undefined && isUuid(id) ? await ciRuns.find(projectId, id) : null;
  if (ciRun === null) throw new AppError("not_found", "CI run not found");
  return ciRun;
}

/** The refusal of whoever comes after a CI run's time (completions 8.3). */
export const runExpired = (): AppError => new AppError("gone", "Run expired");

/**
 * Refuses the run of a CI run where only other runs have business: results that came in beside it, or an end given to it,
 * would slip past its gate.
 */
export async function refuseCiRun(ciRuns: Pick<CiRunStore, "exists">, projectId: string, runId: string): Promise<void> {
  if (!(await ciRuns.exists(projectId, runId))) return;
  throw new AppError("conflict", "This run belongs to a CI run: use /ingest/ci-runs/{id}/results and .../finalize");
}
