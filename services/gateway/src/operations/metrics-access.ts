import type { Secret } from "@touchstone/contracts";
import { createSecretComparison } from "./compare-secret.ts";

/**
 * Whether an `Authorization` header opens `/metrics` (interface: GET /metrics). Everybody may look where no token is
 * set.
 */
export function createMetricsAccess(token: Secret | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => true;
  const isExpected = createSecretComparison(`Bearer ${token.reveal()}`);
  return (authorization) => isExpected(authorization ?? "");
}
