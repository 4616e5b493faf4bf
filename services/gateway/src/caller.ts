import type { Identity } from "@touchstone/contracts";
import { addressSubjectOf, type Tenant } from "@touchstone/service-kit";
import type { FastifyRequest } from "fastify";

/** The authenticated caller: a key, which has no user, or a user. */
export interface Caller {
  /** Null for a user on a route without a project. */
  projectId: string | null;
  organizationId: string | null;
  user?: { userId: string; role: Identity["role"] };
}

/** The client address that rate limits count. */
export function addressOf(request: FastifyRequest): string {
  return addressSubjectOf(request.ip, request.socket.remoteAddress ?? "");
}

/** The tenant of a request: its project, else the user, else the client's address. */
export function tenantOf(request: FastifyRequest): Tenant {
  const caller = request.passage?.caller ?? null;
  return {
    projectId: caller?.projectId ?? caller?.user?.userId ?? addressOf(request),
    organizationId: caller?.organizationId ?? null,
  };
}
