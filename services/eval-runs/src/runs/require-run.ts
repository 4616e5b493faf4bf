import { AppError, isUuid } from "@touchstone/service-kit";
import type { RunStore, StoredRun } from "./run-store.ts";

/** The run a path names; an id that cannot be one answers like one that does not exist. */
export async function requireRun(
  runs: Pick<RunStore, "find">,
  projectId: string,
  runId: string | undefined,
): Promise<StoredRun> {
  const run = runId !== undefined && isUuid(runId) ? await runs.find(projectId, runId) : null;
  if (run === null) throw new AppError("not_found", "Run not found");
  return run;
}
