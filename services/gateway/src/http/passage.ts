import { type ErrorCode, errorKinds, type Route } from "@touchstone/contracts";
import { type Logger, type OpenTrace, openTrace, type TracedWork } from "@touchstone/service-kit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../caller.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";

/** The edge's data about a request. */
export interface Passage {
  /** Null for an unknown address. */
  route: Route | null;
  caller: Caller | null;
  /**
   * Asks auth again whether the key or session still has access to the caller's project; null on routes without one.
   */
  isStillGood: (() => Promise<boolean>) | null;
  /** For the log: the error code, or the part that answered. */
  outcome: string;
  /** The error that was answered on the connection, without the reply; null if none was. */
  refusedWithoutReply: ErrorCode | null;
  /** An ignored part of the request; reported in the log and the answer. */
  warning: string | null;
  /** The step of the installation's own traces; null if this request is not traced. */
  trace: OpenTrace | null;
  /** True if the gateway is stopping: the answer is the last of its connection. */
  isLast: () => boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    passage: Passage | null;
  }
  interface FastifyContextConfig {
    contract?: Route;
  }
}

/** The data of a request that has arrived. */
export function openPassage(route: Route | null, isLast: () => boolean): Passage {
  const trace = route === null || untraced.has(route.id) ? null : openTrace(tracedAs(route));
  const start = { caller: null, isStillGood: null, outcome: "ok", refusedWithoutReply: null, warning: null };
  return { route, trace, isLast, ...start };
}

/** Asked by machines every few seconds. */
const untraced: ReadonlySet<string> = new Set(["getHealth", "getLiveness", "getReadiness", "getMetrics"]);

/** A caller's `traceparent` is ignored: it is of the caller's own traces. */
const tracedAs = ({ id, method, path }: Route): TracedWork => ({
  service: "gateway",
  name: id,
  kind: "server",
  attributes: { "http.request.method": method, "http.route": path },
  parent: "new",
});

/** Runs work as a part of the request's step. */
export const within = <Result>(passage: Passage | null, work: () => Result): Result =>
  passage === null || passage.trace === null ? work() : passage.trace.run(work);

/** The one log line and measurement of a request, however it ends. */
export function watchPassage(
  passage: Passage,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { metrics, logger }: { metrics: GatewayMetrics; logger: Logger },
): void {
  const startedMs = performance.now();
  reply.raw.once("close", () => {
    const durationMs = performance.now() - startedMs;
    const operation = passage.route?.id ?? "unknown";
    const { status, outcome } = endingOf(passage, reply);
    metrics.observe({ method: request.method, route: operation, status, durationMs });
    passage.trace?.answered(status);
    passage.trace?.end();
    if (operation === "getHealth" || operation === "getLiveness" || operation === "getReadiness") return;
    const facts = {
      operation,
      method: request.method,
      requestId: request.id,
      projectId: passage.caller?.projectId ?? null,
      outcome,
      status,
      durationMs: Math.round(durationMs * 100) / 100,
    };
    if (passage.warning === null) logger.info(facts, "request answered");
    else logger.warn({ ...facts, warning: passage.warning }, "request answered");
  });
}

/** The status of a request whose client disconnected before its answer; nginx uses the same one. */
const goneStatus = 499;

/** A reply that was never begun still has its default status, 200. */
function endingOf(passage: Passage, { raw, statusCode }: FastifyReply): { status: number; outcome: string } {
  const { outcome, refusedWithoutReply: refusal } = passage;
  if (raw.headersSent) return { status: statusCode, outcome: raw.writableFinished ? outcome : "client_gone" };
  if (refusal !== null) return { status: errorKinds[refusal].status, outcome: refusal };
  return { status: goneStatus, outcome: "client_gone" };
}
