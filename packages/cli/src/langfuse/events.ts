import { createHash } from "node:crypto";
import { canonicalTraceId, type Held, observation, score } from "./held.ts";
import { membersOf, objectText } from "./raw-json.ts";
import type { Row } from "./row.ts";

/**
 * A row as an event of `POST /api/public/ingestion`, which knows what becomes of it. Values that may be any JSON are sent as
 * their text: there it counts as the value, and numbers keep their spelling.
 */
export interface Event {
  id: string;
  /** JSON. */
  text: string;
  held: Held;
  /** What tells the row from others with its id. */
  scope: string;
}

/** A trace of version 3, or of an export file. */
export function traceEvent(row: Row): Event {
  return toTraceEvent(row.id(), row, row.time("timestamp"));
}

/** The trace of an observation without a parent, as version 4 shows it. Null: the observation has a parent or no trace. */
export function traceOfRoot(row: Row): Event | null {
  const traceId = row.text("traceId");
  const isRoot = row.value("isRootObservation") === true || row.text("parentObservationId") === null;
  if (traceId === null || !isRoot) return null;
  // Its metadata are those of the observation.
  const named = row.with({ name: row.raw("traceName"), metadata: "null" });
  return toTraceEvent(traceId, named, row.time("startTime"));
}

function toTraceEvent(id: string, row: Row, time: string | null): Event {
  const timestamp = time ?? new Date(0).toISOString();
  const body = objectText({
    id: JSON.stringify(id),
    timestamp: JSON.stringify(timestamp),
    // The event's own time ends a trace that has an output, so it cannot say when the row was changed.
    updatedAt: jsonOrNone(row.time("updatedAt")),
    ...row.take(["name", "userId", "sessionId", "tags", "release", "version", "environment", "externalId"]),
    public: row.value("public") === true ? "true" : undefined,
    ...{ input: asText(row.raw("input")), output: asText(row.raw("output")), metadata: entriesOf(row.raw("metadata")) },
  });
  return event("trace-create", timestamp, body, { held: heldTrace(id), scope: "" });
}

const heldTrace = (id: string): Held => ({ kind: "trace", id: canonicalTraceId(id), group: "", numbers: [] });

export function observationEvent(row: Row): Event {
  const startTime = row.time("startTime");
  const times = { startTime, endTime: row.time("endTime"), completionStartTime: row.time("completionStartTime") };
  const model = row.raw("model") ?? row.raw("providedModelName");
  const body = objectText({
    ...row.take(["id", "traceId", "parentObservationId", "type", "name", "level", "statusMessage", "version"]),
    ...row.take(["environment", "promptName", "promptVersion", "usageDetails"]),
    ...Object.fromEntries(Object.entries(times).map(([name, time]) => [name, jsonOrNone(time)])),
    ...{ model, costDetails: costsOf(row), modelParameters: asText(row.raw("modelParameters")) },
    ...{ input: asText(row.raw("input")), output: asText(row.raw("output")), metadata: entriesOf(row.raw("metadata")) },
  });
  const timestamp = row.time("updatedAt") ?? startTime ?? new Date(0).toISOString();
  const tokens = tokensOf(row.raw("usageDetails") ?? "{}");
  const held = observation(row.id(), { ...timesOf(row), ...tokens, cost: costOf(row) });
  return event("observation-create", timestamp, body, { held, scope: canonicalTraceId(row.text("traceId") ?? "") });
}

/** `runIdOf` knows our ids of Langfuse's runs. */
export function scoreEvent(row: Row, runIdOf: (id: string) => string | undefined): Event {
  const subject = targetOf(row);
  const { runId = null } = subject;
  const dataType = row.text("dataType");
  const value = scoreValue(row, dataType);
  const timestamp = row.time("timestamp") ?? new Date(0).toISOString();
  const { traceId, observationId, sessionId } = subject;
  const body = objectText({
    ...row.take(["id", "name", "comment", "source", "metadata", "environment", "configId", "queueId"]),
    ...{ dataType: jsonOrNone(dataType), timestamp: JSON.stringify(timestamp), value: JSON.stringify(value) },
    ...{ traceId: jsonOrNone(traceId), observationId: jsonOrNone(observationId), sessionId: jsonOrNone(sessionId) },
    datasetRunId: jsonOrNone(runId === null ? null : (runIdOf(runId) ?? runId)),
  });
  return event("score-create", timestamp, body, { held: score(row.id(), row.text("name") ?? "", value), scope: "" });
}

/** Both spellings: `subject` of version 3 of the API for scores, and single members. */
function targetOf(row: Row): Partial<Record<"traceId" | "observationId" | "sessionId" | "runId", string | null>> {
  const subject = row.value("subject") as { kind: string; id: string; traceId?: string } | undefined;
  if (subject === undefined) {
    const [traceId, observationId, sessionId] = [row.text("traceId"), row.text("observationId"), row.text("sessionId")];
    return { traceId, observationId, sessionId, runId: row.text("datasetRunId") };
  }
  if (subject.kind === "observation") return { observationId: subject.id, traceId: subject.traceId ?? null };
  if (subject.kind === "session") return { sessionId: subject.id };
  return subject.kind === "experiment" ? { runId: subject.id } : { traceId: subject.id };
}

/** A number of a boolean score is 1 or 0; of a category the text counts. */
function scoreValue(row: Row, dataType: string | null): unknown {
  const value = row.value("value");
  if (dataType === "BOOLEAN") return typeof value === "number" ? value !== 0 : (value ?? null);
  if (dataType === "NUMERIC" || dataType === null) return value ?? row.value("stringValue") ?? null;
  return row.value("stringValue") ?? value ?? null;
}

function timesOf(row: Row): { startMs: number | null; endMs: number | null } {
  const startMs = msOf(row.time("startTime"));
  const endMs = msOf(row.time("endTime"));
  return { startMs, endMs: endMs ?? (row.text("type") === "EVENT" ? startMs : null) };
}

function msOf(time: string | null): number | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** Tokens of `usageDetails`. Its keys are disjoint: `input` is without what came from the cache. */
export function tokensOf(json: string): { input: number; output: number; cached: number } {
  const usage = Object.entries((JSON.parse(json) ?? {}) as Record<string, unknown>);
  const sumOf = (keys: RegExp) =>
    usage.reduce((sum, [key, count]) => sum + (keys.test(key) ? Number(count) || 0 : 0), 0);
  return {
    input: sumOf(/^(?:input|prompt|cache)/),
    output: sumOf(/^(?:output|completion)|reasoning/),
    cached: sumOf(/^(?:input_cached_tokens|cache_read_input_tokens|input_cache_read)$/),
  };
}

/** What Langfuse says the observation cost, not what our prices say. */
function costOf(row: Row): number | null {
  const { total } = (JSON.parse(costsOf(row) ?? "{}") ?? {}) as { total?: unknown };
  return total === undefined ? null : Number(total) || null;
}

/** With their total. */
function costsOf(row: Row): string | undefined {
  const stated = row.raw("costDetails");
  const total = row.raw("totalCost") ?? row.raw("calculatedTotalCost");
  const members = membersOf(stated ?? "{}");
  if (total === undefined || members.has("total")) return stated;
  return objectText({ ...Object.fromEntries(members), total });
}

const jsonOrNone = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined ? undefined : JSON.stringify(text);

/** A value as text: a text is itself, all else its JSON. */
function asText(json: string | undefined): string | undefined {
  return json === undefined || json.startsWith('"') ? json : JSON.stringify(json);
}

/** Metadata with each entry as text. Of a version 3 export file they are a text themselves. */
function entriesOf(json: string | undefined): string | undefined {
  const object = json?.startsWith('"') ? (JSON.parse(json) as string) : json;
  if (object === undefined || !object.trimStart().startsWith("{")) return asText(json);
  try {
    JSON.parse(object);
  } catch {
    return json;
  }
  const entries = [...membersOf(object)].filter(([, text]) => text !== "null");
  return objectText(Object.fromEntries(entries.map(([name, text]) => [name, asText(text)])));
}

/**
 * Its id is of what it says and of when the row was changed: the same row again is the same event, a changed row is another, also one
 * that was changed back.
 */
function event(type: string, timestamp: string, body: string, row: { held: Held; scope: string }): Event {
  const id = `import-${createHash("sha256").update(`${timestamp} ${body}`).digest("hex").slice(0, 40)}`;
  const text = objectText({
    ...{ id: JSON.stringify(id), type: JSON.stringify(type), timestamp: JSON.stringify(timestamp), body },
  });
  return { id, text, ...row };
}
