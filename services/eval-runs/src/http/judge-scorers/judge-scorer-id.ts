import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The id a path names, or null when it is none. */
export function judgeScorerId(call: Call): string | null {
  const id = call.params.judgeScorerId ?? "";
  return isUuid(id) ? id : null;
}

export function judgeScorerNotFound(): never {
  throw new AppError("not_found", "Judge scorer not found");
}
