import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The alert rule a path names. Throws 404 for what is no id. */
export function alertRuleId(call: Call): string {
  const id = call.params.alertRuleId ?? "";
  return isUuid(id) ? id : alertRuleNotFound();
}

export function alertRuleNotFound(): never {
  throw new AppError("not_found", "Alert rule not found");
}
