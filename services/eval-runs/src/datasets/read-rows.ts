import { AppError, type Call, readRowsType, requireProject } from "@touchstone/service-kit";
import type { WorkOnDataset } from "./dataset-work.ts";
import type { ReadRows } from "./dataset-work-thread.ts";

/** The rows of a body: CSV, a JSON array or JSON lines. The first `firstMax` cases are read as well. */
export async function readRows(work: WorkOnDataset, call: Call, firstMax: number): Promise<ReadRows> {
  const type = readRowsType(call.headers["content-type"]);
  const body = await call.body();
  return work("readRows", { body, type, firstMax }, { projectId: requireProject(call), size: body.length });
}

/** True if nothing is to be stored. */
export function readDryRun(call: Call): boolean {
  // An empty value is refused, not read as false: the client may have intended a dry run.
  const [dryRun] = [call.query.dryRun ?? "false"].flat();
  if (dryRun !== "true" && dryRun !== "false") throw new AppError("bad_request", "dryRun must be true or false");
  return dryRun === "true";
}
