import { routes } from "@touchstone/contracts";
import { parseBody, requireWorkspace } from "@touchstone/service-kit";

/**
 * A project to create, from the body of `POST /projects`; the caller checks `organizationId`. Throws the 400s of
 * completions 12.2, and the 403s of {@link requireWorkspace}.
 */
export function readSubmittedProject(
  body: unknown,
  call: Parameters<typeof requireWorkspace>[0],
): { name: string; organizationId: unknown } {
  const { name, workspaceId, organizationId }: { name?: unknown; workspaceId?: unknown; organizationId?: unknown } =
    typeof body === "object" && body !== null ? body : {};
  requireWorkspace(call, workspaceId);
  return { ...parseBody({ name }, routes.renameProject.body), organizationId };
}
