import { isUuid } from "@touchstone/contracts";
import { AppError, type Call, isAppError, type JsonObject, readJsonObject } from "@touchstone/service-kit";
import type { DatasetStore, StoredDataset } from "../datasets/dataset-store.ts";
import type { CiRunStore, StoredCiRun } from "./ci-run-store.ts";
import { type CiSettings, readCiSettings } from "./ci-settings.ts";

/**
 * Reads the body of a CI route. The parser's message is dropped: it quotes the input, and clients interpret any 400 that
 * contains the letters "ci" as a dataset with CI disabled (completions 8.2).
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
 * A member under its snake_case name, else under its camelCase one (completions 8), and which of the two it was. Null counts as
 * absent.
 */
export function readEither(
  object: Readonly<Record<string, unknown>>,
  snakeCase: string,
  camelCase: string,
): { name: string; value: unknown } {
  const value = object[snakeCase] ?? null;
  return value === null ? { name: camelCase, value: object[camelCase] ?? null } : { name: snakeCase, value };
}

/** The newest version of a dataset that has CI enabled, with its CI settings. */
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

/** The CI run in the path; a malformed id is answered like an unknown one. */
export async function requireCiRun(
  ciRuns: Pick<CiRunStore, "find">,
  projectId: string,
  id: string | undefined,
): Promise<StoredCiRun> {
  const ciRun = id !== undefined && isUuid(id) ? await ciRuns.find(projectId, id) : null;
  if (ciRun === null) throw new AppError("not_found", "CI run not found");
  return ciRun;
}

/** The refusal of requests after a CI run has expired (completions 8.3). */
export const runExpired = (): AppError => new AppError("gone", "Run expired");

/**
 * Refuses a CI run where only other runs are allowed: results submitted or a run ended by those routes would bypass its gate.
 */
export async function refuseCiRun(ciRuns: Pick<CiRunStore, "exists">, projectId: string, runId: string): Promise<void> {
  if (!(await ciRuns.exists(projectId, runId))) return;
  throw new AppError("conflict", "This run belongs to a CI run: use /ingest/ci-runs/{id}/results and .../finalize");
}
