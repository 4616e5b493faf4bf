import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a client names another workspace than its key's project in `x-workspace-id`. The header decides nothing; somebody
 * who wonders where their traces are should be told.
 */
export function namesOtherWorkspace(headers: IncomingHttpHeaders, projectId: string | null): boolean {
  const named = headers["x-workspace-id"];
  return projectId !== null && typeof named === "string" && named !== "" && named !== projectId && named !== "local";
}
