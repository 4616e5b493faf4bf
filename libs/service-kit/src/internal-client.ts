import { Readable } from "node:stream";
import {
  drainingHeader,
  type InternalRoute,
  identityHeader,
  notTakenHeader,
  outageHeader,
  requestIdHeader,
  type ServiceName,
} from "@touchstone/contracts";
import { errors } from "undici";
import type { z } from "zod";
import { AppError, isAppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { type HopAnswer, hold, type SentAnswer, toHopAnswer } from "./hop-answer.ts";
import { boundHop, type HopBounds } from "./hop-bounds.ts";
import { createIdentitySigner, type IdentityClaims, stateIdentity } from "./internal-identity.ts";
import type { LocalCalls, LocalRequest } from "./local-calls.ts";
import { createPoolDirectory, type ReplicaPools } from "./replica-pools.ts";
import { createReplicaSet, type LookUp } from "./replica-set.ts";
import { currentTraceparent, traced } from "./tracing.ts";

/** A request to another service. `path` includes the query string. */
export interface Hop {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** An iterable is read once, as the request is written; `forward` throws an `AppError` that it throws. */
  body?: Buffer | AsyncIterable<Buffer> | undefined;
  /** The size of an iterable in bytes, if known: the receiver reserves memory before it reads. */
  bodyBytes?: number | undefined;
  claims: Omit<IdentityClaims, "method" | "path">;
  /** For the whole answer, unless its reader is slow; it restarts with each piece of an iterable body that was sent. */
  deadlineMs: number;
  /** The answer may take long: the deadline holds until it begins, then it ends after this long without a byte. */
  lasting?: { idleMs: number } | undefined;
  signal?: AbortSignal;
}

/** Calls one other service over keep-alive connections, under a signed identity, or directly in the same process. */
export interface InternalClient {
  /** Forwards raw bytes. Throws `service_unavailable` when there is no answer in time. */
  forward(hop: Hop): Promise<HopAnswer>;
  /**
   * Calls an internal route; the reply is checked against its schema. Throws `service_unavailable` for a refusal, with
   * `isOutage` if it is one of the service's store, or the service is starting.
   */
  call<R extends InternalRoute>(
    route: R,
    body: z.input<R["body"]>,
    options: { requestId: string; deadlineMs: number },
  ): Promise<z.output<R["reply"]>>;
  close(): Promise<void>;
}

export interface InternalClientOptions {
  issuer: ServiceName;
  audience: ServiceName;
  /** The addresses of an audience, at least one: see {@link createReplicaSet}. */
  addresses: readonly string[];
  rootSecret: string;
  clock: Clock;
  /** Resolves host names; the machine's own resolver by default. */
  lookUp?: LookUp;
  /** Where an audience in the same process is found without a socket. */
  localCalls?: LocalCalls | undefined;
}

const noBody = Buffer.alloc(0);

/** How many starting or stopping replicas one request may try before it fails. */
const notTakenMax = 5;

/**
 * Replicas are chosen by the power of two choices: of two at random, the one with fewer open requests. A refused
 * connection is tried at another replica; a request that was sent is never repeated, except for a GET, or when a
 * starting or stopping replica answers that it did not accept it (decision 16).
 */
export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { issuer, audience } = options;
  const sign = createIdentitySigner({ issuer, audience, rootSecret: options.rootSecret, clock: options.clock });
  const directory = createPoolDirectory(createReplicaSet(options.addresses, options.lookUp));

  /** A hop as a step of its trace, which ends when the answer begins. */
  function forward(hop: Hop): Promise<HopAnswer> {
    const attributes = { "http.request.method": hop.method, "service.peer.name": audience };
    return traced({ name: `${hop.method} ${audience}`, kind: "client", attributes }, async (step) => {
      const answer = await forwardTraced(hop);
      step?.answered(answer.status);
      return answer;
    });
  }

  async function forwardTraced(hop: Hop): Promise<HopAnswer> {
    const bounds = boundHop(hop);
    const traceparent = currentTraceparent();
    const unsigned = {
      ...hop.headers,
      ...(traceparent !== undefined && { traceparent }),
      [requestIdHeader]: hop.claims.requestId,
    };
    const claims = { ...hop.claims, method: hop.method, path: hop.path };
    const here = askHere(options, hop, { headers: unsigned, identity: stateIdentity(claims, options) }, bounds);
    if (here !== null) return here;
    const headers = { ...unsigned, [identityHeader]: sign(claims) };
    const body = isReadOnce(hop.body) ? countWriting(hop.body, bounds) : hop.body;
    const tried = new Set<ReplicaPools>();
    let notTaken = 0;
    const unavailable = (cause: unknown): AppError => {
      const what = bounds.signal.aborted ? "did not answer in time" : "is not reachable";
      return new AppError("service_unavailable", `The ${audience} service ${what}; retry.`, { cause });
    };
    try {
      let failure: unknown = null;
      for (;;) {
        const choosing = failure === null ? directory.choose(tried) : directory.chooseAgain(tried);
        const pools = await bounds.race(choosing);
        if (pools === null) throw unavailable(failure ?? new Error("no address is known"));
        try {
          const answer = await bounds.race(send(pools, { hop, headers, body, signal: bounds.signal }));
          if (answer.headers[drainingHeader] !== undefined) directory.leave(pools);
          if (answer.headers[notTakenHeader] === undefined) return hold(answer, hop, bounds);
          const isStarting = answer.headers[drainingHeader] === undefined;
          if (isStarting) {
            directory.rest(pools);
            tried.add(pools);
            // Its own answer, if there is no other replica.
            if (bounds.hasWritten() || (await bounds.race(directory.chooseAgain(tried))) === null) {
              return hold(answer, hop, bounds);
            }
          }
          await answer.body.dump();
          failure = new Error(`the replica is ${isStarting ? "starting" : "stopping"}`);
          notTaken += 1;
          // It may accept new connections for a moment, which helps where it is the only one.
          if (notTaken > notTakenMax || bounds.hasWritten()) throw unavailable(failure);
        } catch (cause) {
          if (isAppError(cause)) throw cause;
          failure = cause;
          const isUnsent = wasNeverSent(cause);
          if (isUnsent) directory.rest(pools);
          tried.add(pools);
          if (bounds.signal.aborted || !(isUnsent || (hop.method === "GET" && !bounds.hasWritten()))) throw cause;
        }
      }
    } catch (cause) {
      bounds.release();
      if (hop.signal?.aborted || isAppError(cause)) throw cause;
      throw unavailable(cause);
    }
  }

  return {
    forward,
    call: (route, body, options) => callRoute({ forward, audience }, route, body, options),
    async close() {
      await directory.close();
    },
  };
}

async function callRoute<R extends InternalRoute>(
  { forward, audience }: { forward: InternalClient["forward"]; audience: ServiceName },
  route: R,
  body: z.input<R["body"]>,
  { requestId, deadlineMs }: { requestId: string; deadlineMs: number },
): Promise<z.output<R["reply"]>> {
  const answer = await forward({
    method: route.method,
    path: route.path,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
    claims: { projectId: null, organizationId: null, userId: null, role: null, requestId },
    deadlineMs,
  });
  const { status, headers } = answer;
  if (status !== 200) {
    await answer.body.dump();
    throw new AppError("service_unavailable", `The ${audience} service could not answer; retry.`, {
      cause: new Error(`${route.id} answered ${status}`),
      isOutage: headers[outageHeader] !== undefined || (status === 503 && headers[notTakenHeader] !== undefined),
    });
  }
  const reply = await answer.body.json().catch((cause: unknown) => {
    throw new AppError("service_unavailable", `The ${audience} service did not answer in time; retry.`, { cause });
  });
  return route.reply.parse(reply) as never;
}

/** Null when the audience is not in this process, or requires HTTP. */
function askHere(
  { audience, addresses, localCalls }: InternalClientOptions,
  hop: Hop,
  asked: Pick<LocalRequest, "headers" | "identity">,
  bounds: HopBounds,
): Promise<HopAnswer> | null {
  const [address] = addresses;
  if (address === undefined || isReadOnce(hop.body) || hop.lasting !== undefined) return null;
  const answering = localCalls?.find(address)?.({
    method: hop.method,
    path: hop.path,
    ...asked,
    body: hop.body ?? noBody,
    signal: () => bounds.signal,
  });
  if (!answering) return null;
  return bounds.race(answering).then(
    (answer) => toHopAnswer(answer, hop, bounds),
    (cause) => {
      bounds.release();
      // An answer that comes later has no reader.
      answering.then(
        ({ body }) => body instanceof Readable && body.destroy(),
        () => undefined,
      );
      if (hop.signal?.aborted) throw cause;
      throw new AppError("service_unavailable", `The ${audience} service did not answer in time; retry.`, { cause });
    },
  );
}

/** Sends to one replica. */
async function send(
  { replica, brief, lasting }: ReplicaPools,
  { hop, headers, body, signal }: Sending,
): Promise<SentAnswer> {
  const pool = hop.lasting !== undefined || isReadOnce(body) ? lasting : brief;
  const answer = await pool.request({
    method: hop.method as "GET",
    path: hop.path,
    headers: {
      ...headers,
      host: replica.host,
      ...(hop.bodyBytes !== undefined && { "content-length": String(hop.bodyBytes) }),
    },
    body: (body as Buffer | Readable | undefined) ?? null,
    signal,
    ...(hop.lasting && { bodyTimeout: hop.lasting.idleMs }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
}

interface Sending {
  hop: Hop;
  headers: Record<string, string>;
  body: Hop["body"];
  signal: AbortSignal;
}

function isReadOnce(body: Hop["body"]): body is AsyncIterable<Buffer> {
  return body !== undefined && !Buffer.isBuffer(body);
}

async function* countWriting(body: AsyncIterable<Buffer>, bounds: HopBounds): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    bounds.wrote();
    yield piece;
  }
}

/** Whether no byte of the request was sent: the connection was not made, or broke before it was used. */
function wasNeverSent(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof errors.ConnectTimeoutError) return true;
  if ("syscall" in thrown && thrown.syscall === "connect") return true;
  if (thrown instanceof errors.SocketError && thrown.socket?.bytesWritten === 0) return true;
  // A host with several addresses fails with one error that contains an error for each.
  return wasNeverSent(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause);
}
