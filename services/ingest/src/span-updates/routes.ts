import { hash } from "node:crypto";
import { routes, type SubmittedSpanUpdate } from "@touchstone/contracts";
import {
  AppError,
  type Clock,
  type Handler,
  parseIsoTime,
  readJsonText,
  requireProject,
  type ServedRoute,
} from "@touchstone/service-kit";
import { hashUuid, toUuid } from "../model/ids.ts";
import type { StoredSpan } from "../model/read-span.ts";
import { isReach, reachDk, type SpanStatement, type SpanUpdate, type UpdateRefusal } from "../model/span-update.ts";
import { optional } from "../otlp/mapping/log-content.ts";
import { isAhead } from "../otlp/validate-span.ts";
import type { SpanRecorder } from "../recording/span-recorder.ts";
import { countAttributes } from "./count-attributes.ts";
import { readUpdates } from "./read-updates.ts";

/** Spans that clients describe in several requests (decision 54). */
export function spanUpdateRoutes(dependencies: {
  recorder: SpanRecorder;
  clock: Clock;
  takes(handle: Handler): Handler;
}): ServedRoute[] {
  return [{ route: routes.submitSpanUpdates, handle: dependencies.takes(submitSpanUpdates(dependencies)) }];
}

const refusals: Readonly<Record<UpdateRefusal, string>> = {
  "stored-whole": "The span was exported whole, so it takes no updates.",
  "too-many": "The span has as many updates as it can have.",
};

function submitSpanUpdates({ recorder, clock }: { recorder: SpanRecorder; clock: Clock }): Handler {
  return async (call) => {
    const projectId = requireProject(call);
    const text = await readJsonText(call);
    const nowMs = clock.now();
    const updates = await readUpdates(text === "" ? "{}" : text, {
      read: ({ update, refusal }, index) => readUpdate(update, { index, nowMs, refusal }),
      namesMax: call.namesMax,
      signal: () => call.signal,
    });
    const accepted = updates.filter((update) => typeof update !== "string");
    const stored = (await recorder.recordUpdates(accepted, projectId)).values();
    const answers = updates.map((update) => {
      if (typeof update === "string") return { _id: null, deduped: false, error: update };
      const { id, deduped, refused } = stored.next().value as StoredSpan;
      return refused === undefined ? { _id: id, deduped } : { _id: null, deduped, error: refusals[refused] };
    });
    return { status: 201, body: { updates: answers } };
  };
}

/** A text if this update alone is refused. */
function readUpdate(
  sent: SubmittedSpanUpdate,
  { index, nowMs, refusal }: { index: number; nowMs: number; refusal: string | null },
): SpanUpdate | string {
  const timeOf = (member: "time" | "startTime" | "endTime"): number | null => {
    const text = sent[member] ?? null;
    const ms = text === null ? null : parseIsoTime(text);
    if (text !== null && (ms === null || ms < 0))
      throw refuse(`updates[${index}].${member}`, `must be an ISO 8601 time after 1970`);
    return ms;
  };
  const startedAtMs = timeOf("startTime");
  if (startedAtMs !== null && isAhead(BigInt(Math.round(startedAtMs)) * 1_000_000n, nowMs)) {
    throw refuse(`updates[${index}].startTime`, "is more than 24 hours ahead");
  }
  const endedAtMs = timeOf("endTime");
  const stated: SpanStatement = {
    ...optional("parentSpanId", sent.parentSpanId ?? null),
    ...optional("name", sent.name ?? null),
    ...optional("startedAtMs", startedAtMs),
    ...optional("endedAtMs", endedAtMs),
    ...optional("error", sent.error ?? null),
    ...optional("scope", sent.scope ?? null),
    ...optional("attributes", sent.attributes ?? null),
    ...(sent.widens === true && { widens: true }),
  };
  const timeMs = timeOf("time");
  if (refusal !== null) return refusal;
  const counts = countAttributes(sent.attributes ?? {});
  if (typeof counts === "string") return counts;
  const body = JSON.stringify(stated);
  const isUpdate = sent.type !== "create";
  const isNamed = typeof sent.id === "string";
  const dk =
    isUpdate && !isNamed && isReach(stated)
      ? reachDk
      : isNamed
        ? hashUuid("id", sent.id as string)
        : toUuid(hash("sha256", JSON.stringify([isUpdate, timeMs, body]), "hex").slice(0, 32));
  return { otelTraceId: sent.traceId, spanId: sent.spanId, dk, isUpdate, timeMs: timeMs ?? nowMs, body, ...counts };
}

function refuse(place: string, problem: string): AppError {
  return new AppError("bad_request", `${place}: ${problem}`);
}
