import { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/**
 * The project of a call. The gateway names one on every route that belongs to a project; throws `unauthorized`
 * otherwise.
 */
export function requireProject({ identity }: Pick<Call, "identity">): string {
  if (identity.projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return identity.projectId;
}
