import { routes } from "@touchstone/contracts";
import { isJsonObject, parseBody, requireWorkspace } from "@touchstone/service-kit";

/**
 * A project to create, from the body of `POST /projects`; the caller checks `organizationId`. Throws the 400s of
 * completions 12.2, and before them the 403s of {@link requireWorkspace}.
 */
export function readSubmittedProject(
  body: unknown,
  call: Parameters<typeof requireWorkspace>[0],
): { name: string; organizationId: unknown } {
  requireWorkspace(call, isJsonObject(body) ? body.workspaceId : undefined);
  const { name, organizationId } = parseBody(body, routes.createProject.body);
  return { name, organizationId };
}
