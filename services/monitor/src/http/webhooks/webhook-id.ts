import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The webhook a path names. Throws 404 for what is no id. */
export function webhookId(call: Call): string {
  const id = call.params.webhookId ?? "";
  return isUuid(id) ? id : webhookNotFound();
}

export function webhookNotFound(): never {
  throw new AppError("not_found", "Webhook not found");
}
