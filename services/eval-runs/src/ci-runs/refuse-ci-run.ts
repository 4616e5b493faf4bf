import { AppError } from "@touchstone/service-kit";
import type { CiRunStore } from "./ci-run-store.ts";

/**
 * Refuses the run of a CI run where only other runs have business: results that came in beside it, or an end given to it,
 * would slip past its gate.
 */
export async function refuseCiRun(ciRuns: Pick<CiRunStore, "exists">, projectId: string, runId: string): Promise<void> {
  if (!(await ciRuns.exists(projectId, runId))) return;
  throw new AppError("conflict", "This run belongs to a CI run: use /ingest/ci-runs/{id}/results and .../finalize");
}
