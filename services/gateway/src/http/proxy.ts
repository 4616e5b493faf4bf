import type { IncomingHttpHeaders } from "node:http";
import {
  identityRefusedHeader,
  projectDeletedHeader,
  type Route,
  type ServiceName,
  spentQuotaHeader,
} from "@touchstone/contracts";
import { AppError, type HopAnswer, type InternalClient, type Logger, pickHeaders } from "@touchstone/service-kit";
import type { Caller } from "../caller.ts";
import type { IngestWatch } from "../ingest-health/ingest-watch.ts";
import type { SpentQuotas } from "../limits/spent-quotas.ts";
import type { RequestBody } from "./request-body.ts";
import type { Revocations } from "./revocations.ts";

/** A request that passed every check of the edge. */
export interface ProxiedRequest {
  route: Route;
  /** Path and query at the owner. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Additional headers from the gateway. */
  ownHeaders?: Record<string, string> | undefined;
  body: RequestBody["content"];
  bodyBytes?: RequestBody["bytes"];
  caller: Caller | null;
  requestId: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** Forwards a request to the owner of its route. Throws `service_unavailable` if the owner does not answer. */
export type ProxyToOwner = (request: ProxiedRequest) => Promise<HopAnswer>;

export interface ProxyOptions {
  clients: Readonly<Partial<Record<ServiceName, InternalClient>>>;
  /** How long a client may take to send a body or, for a streamed one, to send nothing. */
  requestTimeoutMs: number;
  /** How long a stream may be silent. */
  streamIdleMs: number;
  spentQuotas: SpentQuotas;
  ingestWatch: IngestWatch;
  revocations: Revocations;
  logger: Logger;
}

/**
 * The headers sent on to a service, as a list: a client can neither set an identity nor forward its key. A client's
 * `traceparent` belongs to the client's traces; a service would continue it.
 */
const proxiedHeaders = [
  "accept",
  "content-type",
  "content-encoding",
  "last-event-id",
  // They repeat the body of a request to POST /mcp.
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  "user-agent",
];

/** The only way to a service, for HTTP and gRPC: unchanged bytes, a signed identity, the route's deadline. */
export function createProxy(options: ProxyOptions): ProxyToOwner {
  const { clients, requestTimeoutMs, streamIdleMs, spentQuotas, ingestWatch, revocations, logger } = options;
  return async ({ route, target, headers, ownHeaders, body, bodyBytes, caller, requestId, signal }) => {
    const client = clients[route.owner];
    if (client === undefined) throw new Error(`no client for ${route.owner}`);
    const isStream = body !== undefined && !Buffer.isBuffer(body);
    const answer = await client.forward({
      method: route.method,
      path: target,
      headers: { ...pickHeaders(headers, proxiedHeaders), ...ownHeaders },
      body,
      bodyBytes,
      claims: {
        projectId: caller?.projectId ?? null,
        organizationId: caller?.organizationId ?? null,
        userId: caller?.user?.userId ?? null,
        role: caller === null ? null : caller.user === undefined ? "key" : caller.user.role,
        requestId,
      },
      // For a stream it restarts with every chunk: the client's slowness does not count against the owner.
      deadlineMs: isStream ? route.deadlineMs + requestTimeoutMs : route.deadlineMs,
      lasting: route.streaming ? { idleMs: streamIdleMs } : undefined,
      signal,
    });
    const ofDeletedProject = answer.headers[projectDeletedHeader] !== undefined;
    if (ofDeletedProject && caller !== null && caller.projectId !== null) revocations.forget([caller.projectId]);
    // Only auth has other 401s for clients; older versions of other services do not state what their 401 means.
    if (
      answer.status === 401 &&
      !ofDeletedProject &&
      (route.owner !== "auth" || answer.headers[identityRefusedHeader] !== undefined)
    ) {
      await answer.body.dump();
      logger.error({ operation: route.id, owner: route.owner }, "a service refused the gateway's identity");
      throw new AppError("service_unavailable", `The ${route.owner} service is not reachable; retry.`);
    }
    if (caller !== null && caller.projectId !== null)
      spentQuotas.note(caller.projectId, answer.headers[spentQuotaHeader]);
    ingestWatch.answered(route, caller?.projectId ?? null, answer);
    if (route.owner === "auth") await revocations.heed(answer.headers, requestId);
    return answer;
  };
}
