import { AppError, type Call } from "@touchstone/service-kit";

/** The project a call is for. The gateway names one on every evaluation route. */
export function requireProject(call: Call): string {
  const { projectId } = call.identity;
  if (projectId === null) throw new AppError("unauthorized", "Invalid or missing API key");
  return projectId;
}

/**
 * Checks the optional `workspaceId` of a body: only the key's own project is open to it, under its id or as `local`
 * (decisions: Access). A foreign id is answered like one that does not exist.
 */
export function requireWorkspace(workspaceId: unknown, projectId: string): void {
  if (workspaceId === undefined || workspaceId === null) return;
  if (typeof workspaceId !== "string") throw new AppError("forbidden", "Could not resolve a valid workspace");
  if (workspaceId !== projectId && workspaceId !== "local") {
    throw new AppError("forbidden", "Unauthorized workspace access");
  }
}
