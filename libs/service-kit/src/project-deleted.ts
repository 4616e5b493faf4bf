import { projectDeletedHeader } from "@touchstone/contracts";
import { AppError, isAppError } from "./app-error.ts";

/** The refusal of a request into a deleted project: the answer to its key from now on. The gateway forwards it. */
export function projectDeleted(cause: unknown): AppError {
  return new AppError("unauthorized", "Invalid or missing API key", {
    cause,
    internalHeaders: { [projectDeletedHeader]: "1" },
  });
}

/** Whether something was refused because its project is deleted. */
export function isProjectDeleted(thrown: unknown): boolean {
  return isAppError(thrown) && thrown.internalHeaders?.[projectDeletedHeader] !== undefined;
}
