import { limits } from "@touchstone/contracts";
import { AppError, type Call } from "@touchstone/service-kit";

/** The agent a path names by id or name. Throws 400 for what can be neither. */
export function agentNamed(call: Call): string {
  const named = call.params.agentId ?? "";
  if (named.trim() === "" || named.length > limits.traceNameMaxChars || !named.isWellFormed() || named.includes("\0")) {
    throw new AppError(
      "bad_request",
      `agentId must be an id or a name of at most ${limits.traceNameMaxChars} characters`,
    );
  }
  return named;
}
