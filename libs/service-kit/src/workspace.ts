import { isUuid, workspaceIgnored } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/**
 * Checks the workspace that a body names (completions 0.4): the key alone selects the project, which may be named by
 * its id or as `local`. Throws 403 for another one, so that nothing is stored in an unintended project.
 *
 * Without accounts, an id that cannot be a project's is a leftover from another system, in the environment of a client
 * that ignores the 403: the id is ignored, with a warning in the answer.
 */
export function requireWorkspace(call: Pick<Call, "identity" | "warn">, named: unknown): void {
  if (named === undefined || named === null) return;
  const { projectId, organizationId, userId } = call.identity;
  if (typeof named !== "string") throw new AppError("forbidden", "Could not resolve a valid workspace");
  if (named === projectId || named === "local") return;
  const hasAccounts = organizationId !== null || userId !== null;
  if (hasAccounts || isProjectId(named)) throw new AppError("forbidden", "Unauthorized workspace access");
  call.warn(workspaceIgnored);
}

/** Whether a project of an installation could have this id: they are UUIDs of version 7. */
function isProjectId(text: string): boolean {
  return isUuid(text) && text[14] === "7";
}
