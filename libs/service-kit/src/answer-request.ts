import type { IncomingHttpHeaders } from "node:http";
import {
  type Identity,
  identityHeader,
  identityRefusedHeader,
  notTakenHeader,
  outageHeader,
  type ServiceName,
} from "@touchstone/contracts";
import { type RenderedAnswer, renderAnswer, renderFailure } from "./answer.ts";
import type { AnswerRoom } from "./answer-room.ts";
import { AppError, isAppError } from "./app-error.ts";
import type { BodyBudget, BodyShare } from "./body-budget.ts";
import type { Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import { createClockJudge } from "./compare-clocks.ts";
import type { Tenant } from "./fair-share.ts";
import { createIdentityVerifier } from "./internal-identity.ts";
import type { Logger } from "./logger.ts";
import { createCounter, createHistogram, type Metrics } from "./metrics.ts";
import { noRoom } from "./no-room.ts";
import { type RenderedError, renderError } from "./render-error.ts";
import { bytesOf } from "./send-answer.ts";
import type { ServingRoute } from "./served-route.ts";
import { gaveUp, goneStatus } from "./signal-gone.ts";
import type { Tenants } from "./tenants.ts";
import { traced } from "./tracing.ts";

export interface IncomingRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** The identity of a request from the same process; others have a signed one in a header. */
  handedOver?: Identity;
}

/**
 * Answers a request to a route, with an error if need be; it never rejects. `room` is the memory for the answer, and
 * `callOf` makes the call for the handler once the identity is known.
 */
export type AnswerRequest = (
  serving: ServingRoute,
  request: IncomingRequest,
  room: AnswerRoom,
  callOf: (identity: Identity, share: BodyShare) => Promise<Call>,
) => Promise<RenderedAnswer>;

/** The tenant of a request: its project, or its user if there is none. */
export function tenantOf({ projectId, organizationId, userId }: Identity): Tenant {
  return { projectId: projectId ?? userId ?? "nobody", organizationId };
}

/** Everything about a request except how it arrived and how its answer is sent. */
export function createAnswerRequest(options: {
  service: ServiceName;
  rootSecret: string;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  bodies: BodyBudget;
  /** Learns the organizations of projects from requests. */
  tenants?: Tenants | undefined;
}): AnswerRequest {
  const { service, bodies, logger } = options;
  const durations = createHistogram(options.metrics, "service_http_request_duration_seconds");
  const requests = createCounter(options.metrics, "service_http_requests_total");
  const verify = createIdentityVerifier({ ...options, audience: service, noteClock: createClockJudge(options) });

  const answerRequest: AnswerRequest = async (
    { route, handle, admitted, envelope }: ServingRoute,
    { method, path, headers, requestId, handedOver },
    room,
    callOf,
  ) => {
    let startedMs = performance.now();
    let share: BodyShare | undefined;
    let projectId: string | null = null;
    let call: Call | undefined;
    let failure: RenderedError | null = null;
    let cause: unknown;
    let answer: RenderedAnswer;
    try {
      const identity = handedOver ?? verify(headers[identityHeader], { method, path });
      if (identity?.audience !== service || !admitted.includes(identity.issuer)) {
        throw new AppError("unauthorized", "This route needs a valid internal identity.", {
          internalHeaders: { [identityRefusedHeader]: "1", [notTakenHeader]: "1" },
        });
      }
      projectId = identity.projectId;
      options.tenants?.learn(identity);
      room.tenant = tenantOf(identity);
      share = bodies.open((obstacle) => noRoom(service, envelope, obstacle), room.tenant);
      call = await callOf(identity, share);
      startedMs = performance.now();
      answer = renderAnswer(await handle(call), call.warning);
      // A change is acknowledged, however large the answer.
      if (method === "GET") await room.settle(bytesOf(route, answer.body));
    } catch (thrown) {
      cause = thrown;
      room.release();
      failure = renderError(thrown, envelope, method);
      if (isAppError(thrown) && thrown.isOutage) failure.headers[outageHeader] = "1";
      answer = renderFailure(failure, envelope, headers);
    } finally {
      share?.release();
    }
    const status = failure?.isBug && gaveUp(call, cause) ? goneStatus : answer.status;
    const durationMs = performance.now() - startedMs;
    const labels = { service, route: route.id };
    durations.observe(labels, durationMs / 1000);
    requests.inc({ ...labels, status: String(status), method });
    const facts = {
      operation: route.id,
      requestId,
      projectId,
      outcome: status === goneStatus ? "client_gone" : (failure?.code ?? "ok"),
      status,
      durationMs: Math.round(durationMs * 100) / 100,
    };
    if (failure?.isBug && status >= 500) logger.error({ ...facts, err: cause }, "request failed unexpectedly");
    else if (failure !== null && status >= 500) logger.warn({ ...facts, err: cause }, "request refused");
    else logger.debug(facts, "request answered");
    return answer;
  };

  // The same as a step of the trace that the caller's `traceparent` names.
  return (serving, request, ...rest) => {
    const { traceparent } = request.headers;
    const parent = typeof traceparent === "string" ? traceparent : null;
    return traced({ service, name: serving.route.id, kind: "server", parent }, async (step) => {
      const answer = await answerRequest(serving, request, ...rest);
      step?.answered(answer.status);
      return answer;
    });
  };
}
