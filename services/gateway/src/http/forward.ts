import type { OutgoingHttpHeaders } from "node:http";
import { limits, type Route, type ServiceName, warningHeader } from "@touchstone/contracts";
import {
  AnswerRoom,
  AppError,
  type BodyBudget,
  cutWhenSlow,
  cutWhenStalled,
  type HopAnswer,
  noRoom,
  passPieces,
  passStream,
  pickHeaders,
  type StreamPlace,
  tooMuchToSend,
} from "@touchstone/service-kit";
import type { FastifyReply, FastifyRequest } from "fastify";
import { tenantOf } from "../caller.ts";
import { accountHeaders, originHeaders } from "./account-headers.ts";
import type { Answerer } from "./edge.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { ProxyToOwner } from "./proxy.ts";
import { noBody, readRequestBody } from "./request-body.ts";
import { targetOf } from "./route-table.ts";

/** The headers passed back to clients, as a list, so that nothing internal passes. */
const passedBack = [
  "content-type",
  "content-encoding",
  "content-disposition",
  // Of content that users sent: stricter than that of other answers.
  "content-security-policy",
  "cache-control",
  "retry-after",
  "vary",
  warningHeader,
];

/** Only the sign-in family sets cookies and redirects. */
const passedBackOfAccounts = ["set-cookie", "location"];

/** A smaller answer is read whole before it is passed back: a broken one can still become a 503. */
const bufferedMaxBytes = 1024 * 1024;

/** Memory of a streamed answer: the buffers of both sockets. */
const streamBytes = 256 * 1024;

export interface ForwardOptions {
  proxy: ProxyToOwner;
  streams: OpenStreams;
  bodyMaxBytes: (route: Route) => number;
  publicUrl: string | null;
  /** Bounds the bodies in memory. */
  bodies: BodyBudget;
  /** Bounds the answers that wait for their readers. */
  answers: BodyBudget;
  /** How long a reader may read nothing of an answer. */
  streamIdleMs: number;
}

/**
 * Forwards requests to the service that owns the route, and its answers back: bytes in both directions, with
 * backpressure.
 */
export function createForward(options: ForwardOptions): Answerer {
  const { proxy, streams, bodyMaxBytes, bodies } = options;
  return async (route, request, reply) => {
    if (route.streaming && request.method === "HEAD") return answerHeadOfStream(route, reply);
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort(new Error("the client is gone"));
    });
    // The client has disconnected: no event would release memory reserved now.
    if (reply.raw.destroyed) return reply.hijack();
    const tenant = tenantOf(request);
    const place = route.streaming ? streams.admit(tenant) : null;
    reply.raw.once("close", () => place?.leave());
    const share = bodies.open((obstacle) => noRoom(route.owner, route.envelope, obstacle), tenant);
    let body = noBody;
    try {
      if (route.body !== undefined) {
        body = await readRequestBody(request.raw, { maxBytes: bodyMaxBytes(route), share });
      }
      const answer = await proxy({
        route,
        target: targetOf(route, request.routeOptions.url ?? "", request.url),
        headers: request.headers,
        ownHeaders: ownHeadersOf(route, request, options.publicUrl),
        body: body.content,
        bodyBytes: body.bytes,
        caller: request.passage?.caller ?? null,
        requestId: request.id,
        signal: gone.signal,
      });
      // The service's log has the reason, under the same request id.
      if (answer.status >= 400 && request.passage) request.passage.outcome = "refused_by_service";
      const warning = answer.headers[warningHeader];
      if (typeof warning === "string" && request.passage) request.passage.warning = warning;
      return await passBack(answer, { route, request, reply, place });
    } catch (thrown) {
      // The client has disconnected.
      if (gone.signal.aborted || request.socket.destroyed) return reply.hijack();
      throw thrown;
    } finally {
      body.discardRest();
      share.release();
    }
  };

  /**
   * Reserves memory until the client has read the answer. Without memory the answer is not read, and its service waits.
   * Only reads can be repeated, so only reads are refused.
   */
  async function makeRoom(answer: HopAnswer, bytes: number | null, { route, request, reply }: Passing): Promise<void> {
    const room = new AnswerRoom(options.answers, () => tooMuchToSend(route.owner), tenantOf(request));
    reply.raw.once("close", () => room.release());
    const isHeldWhole = answer.whole !== undefined || (bytes !== null && bytes <= bufferedMaxBytes);
    try {
      await room.make(isHeldWhole && bytes !== null ? bytes : streamBytes);
    } catch (thrown) {
      await answer.body.dump();
      throw thrown;
    }
    // The client disconnected while waiting.
    if (reply.raw.destroyed) room.release();
  }

  async function passBack(answer: HopAnswer, passing: Passing) {
    const { route, request, reply, place } = passing;
    const { status, headers } = answer;
    const length = headers["content-length"];
    const bytes = answer.whole?.bytes ?? (length === undefined ? null : Number(length));
    const isLarge = bytes === null || bytes > limits.smallBodyMaxBytes;
    if (request.method === "GET" && isLarge && !route.streaming) await makeRoom(answer, bytes, passing);
    reply.code(status).headers(pickHeaders(headers, passedBack));
    if (isOfAccounts(route)) {
      for (const name of passedBackOfAccounts) if (headers[name] !== undefined) reply.header(name, headers[name]);
    }
    if (request.method === "HEAD") {
      if (length !== undefined) reply.header("content-length", length);
      await answer.body.dump();
      return reply.send();
    }
    if (answer.whole === undefined ? bytes !== null && bytes <= bufferedMaxBytes : !isLarge) {
      const whole = await readWhole(answer, route.owner);
      if (isLarge) {
        cutWhenStalled(reply.raw, options.streamIdleMs);
        cutWhenSlow(reply.raw, options.streamIdleMs);
      }
      return reply.send(whole.length === 0 ? undefined : whole);
    }
    if (length !== undefined) reply.header("content-length", length);
    if (request.passage?.isLast()) reply.header("connection", "close");
    reply.hijack();
    const head = { status, headers: reply.getHeaders() as OutgoingHttpHeaders, stallMs: options.streamIdleMs };
    if (answer.whole !== undefined) {
      passPieces(reply.raw, answer.whole, head);
      return reply;
    }
    // A large answer is sent at the client's speed.
    answer.takeTime();
    const stream = passStream(reply.raw, answer.body, head);
    place?.fill(stream);
    if (!route.streaming) cutWhenSlow(reply.raw, options.streamIdleMs);
    const { caller = null, isStillGood = null } = request.passage ?? {};
    const projectId = caller?.projectId ?? null;
    if (route.streaming && projectId !== null && isStillGood !== null) {
      streams.hold(stream, reply.raw, { projectId, isGood: isStillGood });
    }
    return reply;
  }
}

/** A request that is being forwarded. */
interface Passing {
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Null if the answer is not a stream. */
  place: StreamPlace | null;
}

/** Answers HEAD of a stream with its headers, without opening one: the owner is not asked. */
function answerHeadOfStream({ responses }: Route, reply: FastifyReply): FastifyReply {
  const contentType = responses[200]?.contentType;
  if (contentType === "text/event-stream") reply.header("cache-control", "no-cache");
  if (contentType !== undefined) reply.type(contentType);
  return reply.send();
}

/** Their answers have absolute addresses of this installation. */
const routesWithLinks: ReadonlySet<string> = new Set([
  "createInvitation",
  "registerMedia",
  "getMedia",
  "registerLangfuseMedia",
  "getLangfuseMedia",
  "createLangfuseDatasetItem",
  "getLangfuseDatasetItem",
  "listLangfuseDatasetItems",
]);

function ownHeadersOf(route: Route, request: FastifyRequest, publicUrl: string | null) {
  if (isOfAccounts(route)) return accountHeaders(request, publicUrl);
  return routesWithLinks.has(route.id) ? originHeaders(request, publicUrl) : undefined;
}

function isOfAccounts({ authentication }: Route): boolean {
  return authentication.includes("account");
}

async function readWhole(answer: HopAnswer, owner: ServiceName): Promise<Buffer> {
  if (answer.whole !== undefined) return answer.whole.join();
  const whole = await answer.body.arrayBuffer().catch((cause) => {
    throw new AppError("service_unavailable", `The ${owner} service broke off its answer; retry.`, { cause });
  });
  return Buffer.from(whole);
}
