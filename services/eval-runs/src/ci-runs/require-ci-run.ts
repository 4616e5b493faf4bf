import { AppError, isUuid } from "@touchstone/service-kit";
import type { CiRunStore, StoredCiRun } from "./ci-run-store.ts";

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
