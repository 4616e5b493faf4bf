import type { Identity } from "@touchstone/contracts";

/** Who calls: a key, which has no user, or a user. */
export interface Caller {
  /** Null for a user on a route of no project. */
  projectId: string | null;
  organizationId: string | null;
  user?: { userId: string; role: Identity["role"] };
}
