import type { IncomingHttpHeaders } from "node:http";
import { deadlines, internalRoutes, parseRevokedKeys, revokedKeysHeader } from "@touchstone/contracts";
import type { InternalClient, Logger } from "@touchstone/service-kit";
import type { KeyCache } from "../credentials/key-cache.ts";
import type { SessionCache } from "../credentials/session-cache.ts";
import type { OpenStreams } from "./open-streams.ts";

export interface Revocations {
  /** Drops cached access to projects whose keys were revoked, and ends streams without access. */
  forget(projectIds: readonly string[]): void;
  /**
   * Acts on an answer of auth before it is passed on: drops revoked keys, and makes the services close projects that
   * are being deleted. Never throws.
   */
  heed(headers: IncomingHttpHeaders, requestId: string): Promise<void>;
}

export interface RevocationsOptions {
  keys: KeyCache;
  sessions: SessionCache;
  streams: OpenStreams;
  clients: Readonly<Record<"ingest" | "eval-runs" | "monitor", InternalClient>>;
  logger: Logger;
}

/**
 * After the gateway has passed on a revocation it refuses the old key, and a deleted project stores nothing more
 * through any gateway. A service that does not answer is notified by the event.
 */
export function createRevocations({ keys, sessions, streams, clients, logger }: RevocationsOptions): Revocations {
  function forget(projectIds: readonly string[] | "all"): void {
    keys.forgetProjects(projectIds);
    sessions.forgetProjects(projectIds);
    if (projectIds !== "all") for (const projectId of projectIds) void streams.recheck(projectId);
  }

  async function close(projectIds: readonly string[], requestId: string): Promise<void> {
    const options = { requestId, deadlineMs: deadlines.closeProjectsMs };
    const body = { projectIds: [...projectIds] };
    const closings = await Promise.allSettled([
      clients.ingest.call(internalRoutes.closeIngestProjects, body, options),
      clients["eval-runs"].call(internalRoutes.closeEvalRunsProjects, body, options),
      clients.monitor.call(internalRoutes.closeMonitorProjects, body, options),
    ]);
    for (const closing of closings) {
      if (closing.status === "fulfilled") continue;
      logger.warn({ err: closing.reason, requestId }, "a service did not close deleted projects at once");
    }
  }

  return {
    forget,
    async heed(headers, requestId) {
      const revoked = parseRevokedKeys(headers[revokedKeysHeader]);
      if (revoked === null) return;
      forget(revoked.isComplete ? revoked.projectIds : "all");
      if (revoked.areDeleted) await close(revoked.projectIds, requestId);
    },
  };
}
