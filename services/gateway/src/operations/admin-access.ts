import type { Secret } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import { createSecretComparison } from "../metrics/compare-secret.ts";

/**
 * Refuses whoever is not the operator (completions 12.5): 404 where no admin token is set, 401 where another is
 * presented. The header is `x-admin-token`.
 */
export function createAdminAccess(token: Secret | null): (presented: unknown) => void {
  if (token === null) {
    return () => {
      throw new AppError("not_found", "Not found");
    };
  }
  const isExpected = createSecretComparison(token.reveal());
  return (presented) => {
    if (!isExpected(typeof presented === "string" ? presented : "")) {
      throw new AppError("unauthorized", "Invalid admin token");
    }
  };
}
