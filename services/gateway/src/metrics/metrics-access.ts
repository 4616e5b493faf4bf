import type { Secret } from "@touchstone/contracts";
import { createSecretComparison } from "./compare-secret.ts";

/** Null when an `Authorization` header opens `/metrics`; else why not, in a sentence for the operator. */
export type MetricsRefusal = (authorization: string | undefined) => string | null;

/**
 * Who may read `/metrics` (interface: GET /metrics). Without a token everybody may, except in multi-tenant mode: there
 * strangers reach the gateway, and nobody may. Where a connection comes from proves nothing, because the proxy in front may
 * run on the same machine.
 */
export function createMetricsAccess(options: { token: Secret | null; isMultiTenant: boolean }): MetricsRefusal {
  const { token, isMultiTenant } = options;
  if (token === null) return () => (isMultiTenant ? "In multi-tenant mode metrics need SERVICE_METRICS_TOKEN." : null);
  const isExpected = createSecretComparison(`Bearer ${token.reveal()}`);
  return (authorization) => (isExpected(authorization ?? "") ? null : "The metrics token is missing or wrong.");
}
