import { randomUUID } from "node:crypto";
import { identityHeader, type ServiceName } from "@touchstone/contracts";
import { createIdentitySigner, systemClock } from "@touchstone/service-kit";

/** Request lines with the identity that the gateway would send. */
export type IdentityHeaders = (method: string, path: string) => string;

/**
 * Well within the lifetime of an identity. A signature for every request would be the driver's cost, not the system's.
 */
const renewedAfterMs = 10_000;

export function identityHeaders(options: {
  audience: ServiceName;
  rootSecret: string;
  projectId: string;
}): IdentityHeaders {
  const sign = createIdentitySigner({
    issuer: "gateway",
    audience: options.audience,
    rootSecret: options.rootSecret,
    clock: systemClock,
  });
  const signed = new Map<string, { line: string; untilMs: number }>();
  return (method, path) => {
    const target = `${method} ${path}`;
    const known = signed.get(target);
    if (known !== undefined && performance.now() < known.untilMs) return known.line;
    const claims = { organizationId: null, userId: null, role: "key" as const, requestId: randomUUID() };
    const line = `${identityHeader}: ${sign({ ...claims, projectId: options.projectId, method, path })}\r\n`;
    signed.set(target, { line, untilMs: performance.now() + renewedAfterMs });
    return line;
  };
}
