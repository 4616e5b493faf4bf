import type { IncomingHttpHeaders } from "node:http";
import {
  identityRefusedHeader,
  projectDeletedHeader,
  type Route,
  type ServiceName,
  spentQuotaHeader,
} from "@touchstone/contracts";
import { AppError, type HopAnswer, type InternalClient, type Logger } from "@touchstone/service-kit";
import type { Caller } from "../caller.ts";
import type { IngestWatch } from "../ingest-health/ingest-watch.ts";
import type { SpentQuotas } from "../limits/spent-quotas.ts";
import type { RequestBody } from "./request-body.ts";
import type { Revocations } from "./revocations.ts";

/** A request that passed every check at the door. */
export interface ProxiedRequest {
  route: Route;
  /** Path and query at the owner. */
  target: string;
  headers: IncomingHttpHeaders;
  /** What the gateway itself has to say beside them. */
  ownHeaders?: Record<string, string> | undefined;
  body: RequestBody["content"];
  bodyBytes?: RequestBody["bytes"];
  caller: Caller | null;
  requestId: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** Passes a request on to the owner of its route. Throws `service_unavailable` when that does not answer. */
export type ProxyToOwner = (request: ProxiedRequest) => Promise<HopAnswer>;

export interface ProxyOptions {
  clients: Readonly<Partial<Record<ServiceName, InternalClient>>>;
  /** How long a client may take to send a body, or, of one that is read as it comes, to send nothing. */
  requestTimeoutMs: number;
  /** How long an answer that lasts may be silent. */
  streamIdleMs: number;
  spentQuotas: SpentQuotas;
  ingestWatch: IngestWatch;
  revocations: Revocations;
  logger: Logger;
}

/** What goes on to a service is a list: a client can neither set an identity nor make a key travel further than this. */
const proxiedHeaders = [
  "accept",
  "content-type",
  "content-encoding",
  "last-event-id",
  "user-agent",
  "traceparent",
  "tracestate",
];

/** The one way in, for HTTP and gRPC: bytes as they are, under a signed identity, within the route's deadline. */
export function createProxy(options: ProxyOptions): ProxyToOwner {
  const { clients, requestTimeoutMs, streamIdleMs, spentQuotas, ingestWatch, revocations, logger } = options;
  return async ({ route, target, headers, ownHeaders, body, bodyBytes, caller, requestId, signal }) => {
    const client = clients[route.owner];
    if (client === undefined) throw new Error(`no client for ${route.owner}`);
    const isStream = body !== undefined && !Buffer.isBuffer(body);
    const answer = await client.forward({
      method: route.method,
      path: target,
      headers: { ...pick(headers, proxiedHeaders), ...ownHeaders },
      body,
      bodyBytes,
      claims: {
        projectId: caller?.projectId ?? null,
        organizationId: caller?.organizationId ?? null,
        userId: caller?.user?.userId ?? null,
        role: caller === null ? null : caller.user === undefined ? "key" : caller.user.role,
        requestId,
      },
      // Of a stream it starts anew with every piece: the owner is not charged for the client's slowness.
      deadlineMs: isStream ? route.deadlineMs + requestTimeoutMs : route.deadlineMs,
      lasting: route.streaming ? { idleMs: streamIdleMs } : undefined,
      signal,
    });
    const ofDeletedProject = answer.headers[projectDeletedHeader] !== undefined;
    if (ofDeletedProject && caller !== null && caller.projectId !== null) revocations.forget([caller.projectId]);
    // Auth alone has other 401s for clients; of the others an older version does not say what it means by one.
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

/** Those of the headers that are named, where they have one value. */
export function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string") picked[name] = value;
  }
  return picked;
}
