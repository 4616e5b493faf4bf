import { projectDeletedHeader } from "@touchstone/contracts";
import { AppError } from "./app-error.ts";

/** The refusal of a request into a deleted project: what its key is answered from now on. The gateway passes it on. */
export function projectDeleted(cause: unknown): AppError {
  return new AppError("unauthorized", "Invalid or missing API key", {
    cause,
    internalHeaders: { [projectDeletedHeader]: "1" },
  });
}
