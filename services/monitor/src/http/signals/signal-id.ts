import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The signal a path names. Throws 404 for what is no id. */
export function signalId(call: Call): string {
  const id = call.params.signalId ?? "";
  return isUuid(id) ? id : signalNotFound();
}

export function signalNotFound(): never {
  throw new AppError("not_found", "Signal not found");
}
