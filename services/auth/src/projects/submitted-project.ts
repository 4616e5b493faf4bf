import { AppError, requireWorkspace } from "@touchstone/service-kit";

const nameMaxChars = 200;

/**
 * A project to be made, from the body of `POST /projects`; `organizationId` is for who asks to judge. Throws the 400s of
 * completions 12.2, and the 403s of {@link requireWorkspace}.
 */
export function readSubmittedProject(
  body: unknown,
  call: Parameters<typeof requireWorkspace>[0],
): { name: string; organizationId: unknown } {
  const { name, workspaceId, organizationId }: { name?: unknown; workspaceId?: unknown; organizationId?: unknown } =
    typeof body === "object" && body !== null ? body : {};
  requireWorkspace(call, workspaceId);
  return { name: requireProjectName(name), organizationId };
}

/** The new name in the body of `PATCH /projects/{id}`, by the rules for the first one. */
export function readProjectName(body: unknown): string {
  const { name }: { name?: unknown } = typeof body === "object" && body !== null ? body : {};
  return requireProjectName(name);
}

function requireProjectName(name: unknown): string {
  if (typeof name !== "string" || name.trim() === "") throw new AppError("bad_request", "name is required");
  if (name.length > nameMaxChars) {
    throw new AppError("bad_request", `name must not be longer than ${nameMaxChars} characters`);
  }
  // Neither can be stored as text.
  if (name.includes("\0") || !name.isWellFormed()) {
    throw new AppError("bad_request", "name must not contain NUL or half of a surrogate pair");
  }
  return name.trim();
}
