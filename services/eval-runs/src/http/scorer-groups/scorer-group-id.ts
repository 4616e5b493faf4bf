import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The id a path names, or null when it is none. */
export function scorerGroupId(call: Call): string | null {
  const id = call.params.scorerGroupId ?? "";
  return isUuid(id) ? id : null;
}

export function scorerGroupNotFound(): never {
  throw new AppError("not_found", "Scorer group not found");
}
