import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { type InternalRoute, identityHeader, requestIdHeader, type ServiceName } from "@touchstone/contracts";
import { Pool } from "undici";
import type { z } from "zod";
import { AppError, isAppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { createIdentitySigner, type IdentityClaims } from "./internal-identity.ts";

/** A request to another service. `path` includes the query string. */
export interface Hop {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** An iterable is read once, as the request is written; an `AppError` it throws is what `forward` throws. */
  body?: Buffer | AsyncIterable<Buffer> | undefined;
  claims: Omit<IdentityClaims, "method" | "path">;
  deadlineMs: number;
  signal?: AbortSignal;
}

/** What came back: a status and a body, whatever the status. */
export interface HopAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable & { arrayBuffer(): Promise<ArrayBuffer>; json(): Promise<unknown>; dump(): Promise<void> };
}

/** Calls one other service over keep-alive connections, under a signed identity. */
export interface InternalClient {
  /** Sends raw bytes on. Throws `service_unavailable` when nobody answers in time. */
  forward(hop: Hop): Promise<HopAnswer>;
  /** Calls an internal route; the reply is checked against its schema. */
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
  /** Origins of the audience's replicas, at least one. */
  addresses: readonly string[];
  rootSecret: string;
  clock: Clock;
}

/** Failures that happened before a single byte of the request left: another replica may be asked. */
const neverSent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/**
 * Replicas are chosen by the power of two choices: of two at random, the one with fewer requests in flight. A refused
 * connection is tried at another replica; a request that was sent is never repeated, save a GET (architecture 3).
 */
export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { issuer, audience } = options;
  const sign = createIdentitySigner({ issuer, audience, rootSecret: options.rootSecret, clock: options.clock });
  const pools = options.addresses.map(
    (origin) =>
      new Pool(origin, {
        connections: 256,
        pipelining: 1,
        connect: { timeout: 2_000 },
        keepAliveTimeout: 60_000,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  );

  async function forward(hop: Hop): Promise<HopAnswer> {
    const bounds = boundHop(hop);
    const headers = {
      ...hop.headers,
      [requestIdHeader]: hop.claims.requestId,
      [identityHeader]: sign({ ...hop.claims, method: hop.method, path: hop.path }),
    };
    const untried = [...pools];
    for (;;) {
      const pool = chooseOne(untried);
      untried.splice(untried.indexOf(pool), 1);
      try {
        const {
          statusCode,
          headers: answered,
          body,
        } = await bounds.race(
          pool.request({
            method: hop.method as "GET",
            path: hop.path,
            headers,
            body: (hop.body as Buffer | Readable | undefined) ?? null,
            signal: bounds.signal,
          }),
        );
        body.once("close", bounds.release);
        return { status: statusCode, headers: answered, body };
      } catch (cause) {
        const mayRepeat = neverSent.has(failureCode(cause)) || hop.method === "GET";
        if (mayRepeat && !bounds.signal.aborted && untried.length > 0) continue;
        bounds.release();
        if (hop.signal?.aborted || isAppError(cause)) throw cause;
        const what = bounds.signal.aborted ? "did not answer in time" : "is not reachable";
        throw new AppError("service_unavailable", `The ${audience} service ${what}; retry.`, { cause });
      }
    }
  }

  return {
    forward,
    async call(route, body, { requestId, deadlineMs }) {
      const { status, body: answered } = await forward({
        method: route.method,
        path: route.path,
        headers: { "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(body)),
        claims: { projectId: null, organizationId: null, userId: null, role: null, requestId },
        deadlineMs,
      });
      if (status !== 200) {
        await answered.dump();
        throw new AppError("service_unavailable", `The ${audience} service could not answer; retry.`, {
          cause: new Error(`${route.id} answered ${status}`),
        });
      }
      return route.reply.parse(await answered.json()) as never;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

interface HopBounds {
  /** Aborts at the deadline, or when the caller is gone. */
  signal: AbortSignal;
  /** Rejects when the signal aborts first. */
  race<Result>(attempt: Promise<Result>): Promise<Result>;
  /** Forgets the deadline and the caller. */
  release: () => void;
}

/**
 * The deadline counts until the answer's body has ended. The race is needed besides the signal: a request that waits
 * for a free connection has none to abort, and undici would let it wait on.
 */
function boundHop({ deadlineMs, signal }: Hop): HopBounds {
  const abort = new AbortController();
  let giveUp = (_reason: unknown): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  aborted.catch(() => {});
  const end = (reason: unknown): void => {
    abort.abort(reason);
    giveUp(reason);
  };
  const onGone = (): void => end(signal?.reason);
  const timer = setTimeout(end, deadlineMs, new Error(`no answer within ${deadlineMs} ms`));
  if (signal?.aborted) onGone();
  else signal?.addEventListener("abort", onGone, { once: true });
  return {
    signal: abort.signal,
    race(attempt) {
      attempt.catch(() => {});
      return Promise.race([attempt, aborted]);
    },
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onGone);
    },
  };
}

function chooseOne(pools: readonly Pool[]): Pool {
  const [only] = pools;
  if (pools.length === 1 && only !== undefined) return only;
  const pick = () => pools[Math.floor(Math.random() * pools.length)] as Pool;
  const [one, other] = [pick(), pick()];
  const load = (pool: Pool) => pool.stats.running + pool.stats.pending + pool.stats.queued;
  return load(one) <= load(other) ? one : other;
}

function failureCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  if ("code" in thrown && typeof thrown.code === "string" && thrown.code !== "") return thrown.code;
  // A host with several addresses fails with one error that holds an error for each.
  if (thrown instanceof AggregateError) return failureCode(thrown.errors[0]);
  return thrown.cause === undefined ? "" : failureCode(thrown.cause);
}
