import { AppError, type Call, isUuid } from "@touchstone/service-kit";

/** The id of the custom scorer that a path names. Throws 404 for what is none. */
export function evaluatorIdOf(call: Call): string {
  const { customEvaluatorId = "" } = call.params;
  return isUuid(customEvaluatorId) ? customEvaluatorId : evaluatorNotFound();
}

export function evaluatorNotFound(): never {
  throw new AppError("not_found", "Custom evaluator not found");
}
