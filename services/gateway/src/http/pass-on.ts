import type { IncomingHttpHeaders } from "node:http";
import { type Route, type ServiceName, spentQuotaHeader } from "@touchstone/contracts";
import { AppError, type HopAnswer, type InternalClient, type Logger } from "@touchstone/service-kit";
import type { KeyOwner } from "../keys/key-cache.ts";
import type { SpentQuotas } from "../quota/spent-quotas.ts";
import type { RequestBody } from "./request-body.ts";

/** A request that passed every check at the door. */
export interface PassedRequest {
  route: Route;
  /** Path and query at the owner. */
  target: string;
  headers: IncomingHttpHeaders;
  body: RequestBody["content"];
  caller: KeyOwner | null;
  requestId: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** Passes a request on to the owner of its route. Throws `service_unavailable` when that does not answer. */
export type PassOn = (request: PassedRequest) => Promise<HopAnswer>;

export interface PassOnOptions {
  clients: Readonly<Partial<Record<ServiceName, InternalClient>>>;
  /** How long a client may take to send a body, or, of one that is read as it comes, to send nothing. */
  requestTimeoutMs: number;
  /** How long an answer that lasts may be silent. */
  streamIdleMs: number;
  spentQuotas: SpentQuotas;
  logger: Logger;
}

/** What goes on to a service is a list: a client can neither set an identity nor make a key travel further than this. */
const passedOn = [
  "accept",
  "content-type",
  "content-encoding",
  "last-event-id",
  "user-agent",
  "traceparent",
  "tracestate",
];

/** The one way in, for HTTP and gRPC: bytes as they are, under a signed identity, within the route's deadline. */
export function createPassOn({ clients, requestTimeoutMs, streamIdleMs, spentQuotas, logger }: PassOnOptions): PassOn {
  return async ({ route, target, headers, body, caller, requestId, signal }) => {
    const client = clients[route.owner];
    if (client === undefined) throw new Error(`no client for ${route.owner}`);
    const isStream = body !== undefined && !Buffer.isBuffer(body);
    const answer = await client.forward({
      method: route.method,
      path: target,
      headers: pick(headers, passedOn),
      body,
      claims: {
        projectId: caller?.projectId ?? null,
        organizationId: caller?.organizationId ?? null,
        userId: null,
        role: caller === null ? null : "key",
        requestId,
      },
      // Of a stream it starts anew with every piece: the owner is not charged for the client's slowness.
      deadlineMs: isStream ? route.deadlineMs + requestTimeoutMs : route.deadlineMs,
      lasting: route.streaming ? { idleMs: streamIdleMs } : undefined,
      signal,
    });
    if (answer.status === 401) {
      await answer.body.dump();
      logger.error({ operation: route.id, owner: route.owner }, "a service refused the gateway's identity");
      throw new AppError("service_unavailable", `The ${route.owner} service is not reachable; retry.`);
    }
    if (caller !== null) spentQuotas.note(caller.projectId, answer.headers[spentQuotaHeader]);
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
