import { AppError } from "@touchstone/service-kit";

const nameMaxChars = 200;

/**
 * The name of a project to be made, from the body of `POST /projects`. Throws the 400s of completions 12.2, and the
 * 403s of decisions: workspaceId when the body names another project than the key's.
 */
export function readSubmittedProject(body: unknown, keyProjectId: string | null): { name: string } {
  const { name, workspaceId }: { name?: unknown; workspaceId?: unknown } =
    typeof body === "object" && body !== null ? body : {};
  if (workspaceId !== undefined && typeof workspaceId !== "string") {
    throw new AppError("forbidden", "Could not resolve a valid workspace");
  }
  if (workspaceId !== undefined && workspaceId !== "local" && workspaceId !== keyProjectId) {
    throw new AppError("forbidden", "Unauthorized workspace access");
  }
  if (typeof name !== "string" || name.trim() === "") throw new AppError("bad_request", "name is required");
  if (name.length > nameMaxChars) {
    throw new AppError("bad_request", `name must not be longer than ${nameMaxChars} characters`);
  }
  // Neither can be stored as text.
  if (name.includes("\0") || !name.isWellFormed()) {
    throw new AppError("bad_request", "name must not contain NUL or half of a surrogate pair");
  }
  return { name: name.trim() };
}
