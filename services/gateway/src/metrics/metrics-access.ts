import type { Secret } from "@touchstone/contracts";
import { createSecretComparison } from "./compare-secret.ts";

/** Null if an `Authorization` header grants access to `/metrics`; else the reason, in a sentence for the operator. */
export type MetricsRefusal = (authorization: string | undefined) => string | null;

/**
 * Access to `/metrics` (interface: GET /metrics). Without a token it is public, except in multi-tenant mode: there
 * strangers reach the gateway, and access is denied. The source of a connection proves nothing, because a proxy may run
 * on the same machine.
 */
export function createMetricsAccess(options: { token: Secret | null; isMultiTenant: boolean }): MetricsRefusal {
  const { token, isMultiTenant } = options;
  if (token === null) return () => (isMultiTenant ? "In multi-tenant mode metrics need SERVICE_METRICS_TOKEN." : null);
  const isExpected = createSecretComparison(`Bearer ${token.reveal()}`);
  return (authorization) => (isExpected(authorization ?? "") ? null : "The metrics token is missing or wrong.");
}
