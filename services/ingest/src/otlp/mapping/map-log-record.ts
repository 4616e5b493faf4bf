import { isRecord, looselyParsed } from "../../messages/json-text.ts";
import { knownRole } from "../../messages/read-message.ts";
import type { FragmentOrder } from "../../model/fragment-body.ts";
import { hashUuid } from "../../model/ids.ts";
import type { FragmentFacts, IncomingFragment } from "../../model/incoming-fragment.ts";
import type { ReceivedLog } from "../wire/received-log.ts";
import {
  type AttributeRecord,
  type AttributeValue,
  emptySpan,
  type ReceivedResource,
  type ReceivedScope,
} from "../wire/received-span.ts";
import { cleanText } from "./clean-text.ts";
import { type LogContent, type LogFacts, optional } from "./log-content.ts";
import { mapClaudeEvent } from "./map-claude-event.ts";
import { mapDetailsRecord } from "./map-details-record.ts";
import { readSpokenEvent, sideOfEvent } from "./message-events.ts";
import { readAgentBody } from "./read-agent-body.ts";
import { readText } from "./read-source.ts";
import { memberAgentNameSources, responseIdSources, sessionSources, userSources } from "./sources.ts";
import { readException } from "./span-error.ts";
import { SpanFacts } from "./span-facts.ts";

/** Event readers by name. Further events: {@link sideOfEvent}, Claude Code's, and bodies recognised by their shape. */
const readers: Readonly<Record<string, (record: LogFacts) => LogContent | null>> = {
  "gen_ai.client.inference.operation.details": mapDetailsRecord,
  "gen_ai.evaluation.result": mapEvaluation,
  "gen_ai.client.operation.exception": mapException,
};

const claudeScope = "com.anthropic.claude_code.events";

/** The event name of a record: its own, else the attribute's, else a body that is a single word (otlp 7). */
export function eventNameOf(log: ReceivedLog): string {
  if (log.eventName !== "") return log.eventName;
  const stated = log.attributes.get("event.name");
  if (typeof stated === "string" && stated !== "") return stated;
  return typeof log.body === "string" ? log.body.slice(0, 200) : "";
}

/** The content of a record about a model call, an agent or a tool; null = unknown (otlp 7). */
export function readLogContent(
  log: ReceivedLog,
  scope: ReceivedScope,
  resource: ReceivedResource,
): { content: LogContent; responseId: string | null } | null {
  const name = eventNameOf(log);
  const facts = new SpanFacts(asSpan(log), scope, resource, false);
  const record = { log, facts };
  const content = readByName(name, record, scope) ?? readAgentBody(log.body);
  if (content === null) return null;
  // Read for all events: these attributes mean the same in every record.
  const shared: FragmentFacts = {
    ...optional("sessionId", readText(facts, sessionSources)),
    ...optional("userId", readText(facts, userSources)),
    ...optional("agentName", readText(facts, memberAgentNameSources)),
  };
  return {
    content: { ...content, facts: { ...shared, ...content.facts } },
    responseId: readText(facts, responseIdSources),
  };
}

function readByName(name: string, record: LogFacts, scope: ReceivedScope): LogContent | null {
  if (Object.hasOwn(readers, name)) return readers[name]?.(record) ?? null;
  const side = sideOfEvent(name);
  if (side !== null) return mapSpoken(name, side, record.log);
  return scope.name === claudeScope ? mapClaudeEvent(name.replace(/^claude_code\./, ""), record) : null;
}

/** A record as the store accepts it, without its place among the others of its span. */
export interface SaidOfSpan extends Pick<IncomingFragment, "timeNano" | "kind" | "facts"> {
  observedNano: bigint;
  /** Its body as JSON text, without the order. */
  text: string;
}

export function toSaid({ kind, facts, body }: LogContent, { timeNano, observedNano }: ReceivedLog): SaidOfSpan {
  return { timeNano: timeNano === 0n ? observedNano : timeNano, observedNano, kind, facts, text: JSON.stringify(body) };
}

/** A hash of all that a record states; equal records have the same. */
export function digestOf({ observedNano, timeNano, ...said }: SaidOfSpan): string {
  return hashUuid(JSON.stringify([String(timeNano), String(observedNano), said]));
}

/** The place of a record in its export. */
interface FragmentPlace {
  digest: string;
  /** The number of equal records before it. No exporter repeats a record in one export, so all of them count. */
  equalBefore: number;
  /** The position among the records of its span. */
  index: number;
}

export function toFragment<Said extends SaidOfSpan>({ observedNano, text, ...said }: Said, place: FragmentPlace) {
  const order: FragmentOrder = { observedNano: String(observedNano), index: place.index };
  const rest = text === "{}" ? "}" : `,${text.slice(1)}`;
  const key = hashUuid(place.digest, String(place.equalBefore));
  return { ...said, key, body: `{"order":${JSON.stringify(order)}${rest}` };
}

/** Attributes and, if it has members, the body: some producers put attributes there. */
function asSpan(log: ReceivedLog) {
  const span = emptySpan(log.wireBytes);
  const members = isRecord(log.body) ? Object.entries(log.body) : [];
  // A copy: the record keeps its name.
  span.attributes = new Map([...members, ...log.attributes]);
  span.attributes.delete("event.name");
  return span;
}

function mapSpoken(name: string, side: "input" | "output", log: ReceivedLog): LogContent | null {
  // A body that only names the event has no content.
  const said = log.body === name || log.body === null ? [] : Object.entries(spokenBody(log.body));
  const messages = readSpokenEvent({ name, attributes: new Map([...log.attributes, ...said]) });
  if (messages.length === 0) return null;
  return side === "input"
    ? { kind: "message", facts: { hasInput: true }, body: { inputMessages: messages } }
    : { kind: "message", facts: { hasOutput: true }, body: { outputMessages: messages } };
}

/** A text is the content, unless it is JSON text of a whole message or answer (Semantic Kernel). */
function spokenBody(body: AttributeValue): AttributeRecord {
  const value = looselyParsed(body);
  if (!isRecord(value)) return { content: body };
  const isWhole = typeof body !== "string" || isRecord(value.message) || knownRole(value.role) !== undefined;
  return isWhole ? (value as AttributeRecord) : { content: body };
}

function mapEvaluation({ log, facts }: LogFacts): LogContent | null {
  const name = readText(facts, ["gen_ai.evaluation.name"]);
  if (name === null) return null;
  const nano = log.timeNano === 0n ? log.observedNano : log.timeNano;
  const ms = Number(nano / 1_000_000n);
  const evaluation = {
    name,
    // Scores may be negative, counts may not.
    ...optional("score", readScore(facts.value("gen_ai.evaluation.score.value"))),
    ...optional("label", readText(facts, ["gen_ai.evaluation.score.label"])),
    ...optional("explanation", readText(facts, ["gen_ai.evaluation.explanation"])),
    ...optional("responseId", readText(facts, responseIdSources)),
    ...optional("evaluatedAt", nano === 0n || ms > 8.64e15 ? null : new Date(ms).toISOString()),
  };
  return { kind: "evaluation", facts: {}, body: { evaluation } };
}

function readScore(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function mapException({ log, facts }: LogFacts): LogContent {
  const { span } = facts;
  const attributes = new Map(span.attributes);
  if (typeof log.body === "string" && !attributes.has("exception.message") && log.body !== eventNameOf(log)) {
    attributes.set("exception.message", log.body);
  }
  span.events.push({ timeNano: log.timeNano, name: "exception", attributes });
  const exception = readException(facts) ?? {};
  const error = cleanText(exception.message ?? readText(facts, ["error.type"]) ?? exception.type ?? "error");
  return { kind: "exception", facts: { error }, body: { error, exception } };
}
