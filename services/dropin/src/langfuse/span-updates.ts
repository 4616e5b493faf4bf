import { type LangfuseEvent, limits, type SubmittedSpanUpdate } from "@touchstone/contracts";
import {
  compactText,
  isJsonObject,
  type JsonMember,
  lastText,
  lostSpanId,
  lostTraceId,
  membersOf,
  parseIsoTime,
  rootIdOf,
  spanIdOf,
  traceIdOf,
} from "@touchstone/service-kit";

/** An event that cannot be stored; the message is for the client. */
export class EventError extends Error {
  override readonly name = "EventError";
}

type Body = LangfuseEvent["body"];
type Attributes = Record<string, unknown>;

/** The scope of Langfuse's exporters: attributes are read as if they had come from one. */
const scope = "langfuse-sdk";

/** The types of observations; an event is named `<type>-create` or `<type>-update`. */
const observationTypes: ReadonlySet<string> = new Set([
  "span",
  "generation",
  "event",
  "agent",
  "tool",
  "chain",
  "retriever",
  "evaluator",
  "embedding",
  "guardrail",
]);

/** What an event states of its span, and of the time that its trace reaches over; null reach = nothing. */
export interface SpanEvent {
  update: SubmittedSpanUpdate;
  reach: SubmittedSpanUpdate | null;
}

/**
 * `bodyText` is the event's body as it was sent: from there come the values that have any form, so that numbers keep their digits. Null:
 * the event is not about a span. Throws an EventError.
 */
export function readSpanEvent(event: LangfuseEvent, bodyText: string, nowMs: number): SpanEvent | null {
  if (event.type === "trace-create") {
    requireTime("timestamp", event.timestamp);
    return { update: traceUpdate(event, membersOf(bodyText)), reach: null };
  }
  const [, type = "", act] = /^(\w+)-(create|update)$/.exec(event.type) ?? [];
  const stated = type === "observation" ? (textOf(event.body, "type") ?? "span").toLowerCase() : type;
  if (act === undefined || !observationTypes.has(stated)) return null;
  requireTime("timestamp", event.timestamp);
  return observationEvent(event, membersOf(bodyText), { type: stated, isCreate: act === "create", nowMs });
}

/** A trace is the root span above its observations. It ends with what it states last, or with the last observation. */
function traceUpdate({ id, timestamp, body }: LangfuseEvent, sent: readonly JsonMember[]): SubmittedSpanUpdate {
  const traceId = requiredId(body, "id");
  const startTime = timeOf(body, "timestamp") ?? timestamp;
  const updatedAt = timeOf(body, "updatedAt");
  const isAnswered = (body.output ?? null) !== null;
  return {
    ...ofRoot(traceId),
    id,
    type: "create",
    time: updatedAt ?? statedAt(startTime, timestamp),
    startTime,
    ...(isAnswered && { endTime: timestamp }),
    name: textOf(body, "name"),
    attributes: statedOnly({
      "langfuse.trace.name": textOf(body, "name"),
      "langfuse.trace.input": jsonText(sent, "input"),
      "langfuse.trace.output": jsonText(sent, "output"),
      "langfuse.user.id": textOf(body, "userId"),
      "langfuse.session.id": textOf(body, "sessionId"),
      "langfuse.trace.tags": Array.isArray(body.tags) && body.tags.length > 0 ? body.tags.map(String) : null,
      "langfuse.release": textOf(body, "release"),
      ...sharedAttributes(body),
      ...metadataOf("trace", sent, lostTraceId(traceId), ["public", "externalId"]),
    }),
  };
}

/** How long a client may take until an event has its time: it sends the media of the event before. */
const mediaMsMax = 10_000;

/**
 * When a trace was stated: at its own time, unless its event is too late for that. Of events that state one time the later
 * counts last: each millisecond is divided by how late they are.
 */
function statedAt(traceTime: string, eventTime: string): string {
  const [traceMs, eventMs] = [parseIsoTime(traceTime) ?? 0, parseIsoTime(eventTime) ?? 0];
  const lateMs = eventMs - traceMs;
  if (lateMs <= 0) return traceTime;
  const timeMs = Math.max(traceMs, eventMs - mediaMsMax) + Math.min(lateMs, mediaMsMax) / mediaMsMax;
  const micros = Math.round(timeMs * 1_000);
  const date = new Date(Math.floor(micros / 1_000));
  return date.toISOString().replace("Z", `${String(micros % 1_000).padStart(3, "0")}Z`);
}

function observationEvent(
  event: LangfuseEvent,
  sent: readonly JsonMember[],
  { type, isCreate, nowMs }: { type: string; isCreate: boolean; nowMs: number },
): SpanEvent {
  const { id, timestamp, body } = event;
  const observationId = requiredId(body, "id");
  const traceId = textOf(body, "traceId") ?? observationId;
  const parent = textOf(body, "parentObservationId");
  const startTime = timeOf(body, "startTime") ?? (isCreate ? timestamp : null);
  if (isAhead(startTime, nowMs)) throw new EventError("body.startTime: is more than 24 hours ahead");
  const endTime = timeOf(body, "endTime") ?? (type === "event" ? startTime : null);
  const update: SubmittedSpanUpdate = {
    traceId: traceIdOf(traceId),
    spanId: spanIdOf(observationId),
    id,
    type: isCreate ? "create" : "update",
    time: timestamp,
    // An update repeats no parent, so only what created the observation puts it below the trace.
    parentSpanId: parent !== null ? spanIdOf(parent) : isCreate ? rootIdOf(traceId) : null,
    name: textOf(body, "name"),
    startTime,
    endTime,
    scope,
    attributes: statedOnly({
      "langfuse.observation.type": type,
      "langfuse.observation.input": jsonText(sent, "input"),
      "langfuse.observation.output": jsonText(sent, "output"),
      "langfuse.observation.level": textOf(body, "level"),
      "langfuse.observation.status_message": textOf(body, "statusMessage"),
      "langfuse.observation.model.name": textOf(body, "model"),
      "langfuse.observation.model.parameters": jsonText(sent, "modelParameters"),
      "langfuse.observation.completion_start_time": textOf(body, "completionStartTime"),
      "langfuse.observation.prompt.name": textOf(body, "promptName"),
      "langfuse.observation.prompt.version": body.promptVersion ?? null,
      ...usageOf(body, sent),
      ...sharedAttributes(body),
      ...metadataOf("observation", sent, lostSpanId(observationId)),
    }),
  };
  const endOfReach = isAhead(endTime, nowMs) ? null : endTime;
  return { update, reach: { ...ofRoot(traceId), time: timestamp, startTime, endTime: endOfReach } };
}

/** Most attributes of most events are null, which states nothing and would be stored. */
function statedOnly(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
}

function ofRoot(traceId: string) {
  return { traceId: traceIdOf(traceId), spanId: rootIdOf(traceId), scope, widens: true } as const;
}

/** One reach for each trace. It has no id: an equal one, sent again, adds nothing. */
export function joinReaches(reaches: readonly SubmittedSpanUpdate[]): SubmittedSpanUpdate[] {
  const joined = new Map<string, SubmittedSpanUpdate>();
  for (const reach of reaches) {
    const { startTime, endTime } = joined.get(reach.traceId) ?? reach;
    joined.set(reach.traceId, {
      ...reach,
      startTime: earliest(startTime, reach.startTime),
      endTime: earliest(endTime, reach.endTime, -1),
      time: earliest(joined.get(reach.traceId)?.time, reach.time),
    });
  }
  return [...joined.values()];
}

/** Of two times; with the sign -1 the latest. */
function earliest(one: string | null | undefined, other: string | null | undefined, sign = 1): string | null {
  const known = [one, other].filter((time) => typeof time === "string");
  const [first] = known.toSorted((a, b) => sign * ((parseIsoTime(a) ?? 0) - (parseIsoTime(b) ?? 0)));
  return first ?? null;
}

/** Usage in its newer and older forms. */
function usageOf({ usage, usageDetails, costDetails }: Body, sent: readonly JsonMember[]): Attributes {
  const older = isJsonObject(usage) ? usage : {};
  const { input, output, total, promptTokens, completionTokens, totalTokens, inputCost, outputCost, totalCost } = older;
  const tokens = { input: input ?? promptTokens, output: output ?? completionTokens, total: total ?? totalTokens };
  const costs = { input: inputCost, output: outputCost, total: totalCost };
  return {
    "langfuse.observation.usage_details": isJsonObject(usageDetails) ? jsonText(sent, "usageDetails") : stated(tokens),
    "langfuse.observation.cost_details": isJsonObject(costDetails) ? jsonText(sent, "costDetails") : stated(costs),
  };
}

function stated(counts: Record<string, unknown>): string | null {
  const known = Object.entries(counts).filter(([, value]) => typeof value === "number");
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}

function sharedAttributes(body: Body): Attributes {
  return { "langfuse.version": textOf(body, "version"), "langfuse.environment": textOf(body, "environment") };
}

/**
 * Each entry by itself, so that entries of several events are merged. An id that became a hash is kept beside them, and so
 * are members that have no other place.
 */
function metadataOf(
  owner: "trace" | "observation",
  sent: readonly JsonMember[],
  peerId: string | null,
  others: readonly string[] = [],
): Attributes {
  const metadata = lastText(sent, "metadata") ?? "null";
  const entries = metadata.startsWith("{") ? membersOf(metadata) : sent.filter(({ name }) => name === "metadata");
  if (entries.length > limits.spanUpdateAttributesMax) {
    throw new EventError(`The event has more than ${limits.spanUpdateAttributesMax} members in its metadata`);
  }
  const placeless = sent.filter(({ name, valueText }) => others.includes(name) && valueText !== "null");
  const named = [
    ...placeless,
    ...entries,
    ...(peerId === null ? [] : [{ name: "peerId", valueText: JSON.stringify(peerId) }]),
  ];
  const last = new Map(named.map(({ name, valueText }) => [name, valueText]));
  return Object.fromEntries([...last].map(([name, text]) => [`langfuse.${owner}.metadata.${name}`, exported(text)]));
}

function jsonText(sent: readonly JsonMember[], name: string): string | null {
  return exported(lastText(sent, name) ?? "null");
}

/** A value as Langfuse's exporters write it: text as it is, all else as JSON, with numbers as they were sent. */
function exported(text: string): string | null {
  if (text === "null") return null;
  return text.startsWith('"') ? JSON.parse(text) : compactText(text);
}

export function textOf(body: Body, member: string): string | null {
  const value = body[member] ?? null;
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new EventError(`body.${member} must be text`);
}

function requiredId(body: Body, member: string): string {
  const id = textOf(body, member);
  if (id === null || id === "") throw new EventError(`body.${member} is required`);
  return id;
}

function timeOf(body: Body, member: string): string | null {
  const time = textOf(body, member);
  if (time !== null) requireTime(`body.${member}`, time);
  return time;
}

/** How far ahead of the clock ingest takes times of spans (otlp 2). */
const aheadMaxMs = 24 * 60 * 60 * 1000;

/** Such a start is refused and such an end is dropped, so the trace must not reach there. */
function isAhead(time: string | null, nowMs: number): boolean {
  return time !== null && (parseIsoTime(time) ?? 0) > nowMs + aheadMaxMs;
}

/** The latest time of a `Date`. */
const dateMsMax = 8_640_000_000_000_000;

/** One wrong time would also spoil what the trace's other observations state of it, so it is refused here. */
function requireTime(place: string, time: string): void {
  const timeMs = parseIsoTime(time);
  if (timeMs === null || timeMs < 0 || timeMs > dateMsMax)
    throw new EventError(`${place} must be an ISO 8601 time, 1970 or later`);
}
