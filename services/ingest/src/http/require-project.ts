import type { Identity } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/** The project of the key; every route of ingest belongs to one. */
export function requireProject(identity: Identity): string {
  if (identity.projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return identity.projectId;
}
