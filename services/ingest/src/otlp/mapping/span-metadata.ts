import { isRawNumber, isRecord, looselyParsed } from "../../messages/json-text.ts";
import type { Message } from "../../messages/message.ts";
import { capMaps } from "../wire/cap-attributes.ts";
import type {
  AttributeMap,
  AttributeValue,
  ReceivedEvent,
  ReceivedResource,
  ReceivedScope,
} from "../wire/received-span.ts";
import { JsonObjectText } from "./json-object-text.ts";
import { readNumber, readText, toNumber } from "./read-source.ts";
import {
  environmentSources,
  metadataNoise,
  metadataObjectSources,
  metadataPrefix,
  promptNameSources,
  promptVersionSources,
  providerSources,
  releaseSources,
  reportedCostSources,
  responseIdSources,
  tagSources,
  toolCallIdSources,
  userSources,
  versionSources,
} from "./sources.ts";
import { readException } from "./span-error.ts";
import type { SpanFacts } from "./span-facts.ts";
import { readToolDefinitions } from "./tool-definitions.ts";

const eventsMax = 64;
const linksMax = 64;
/** Resource attributes are repeated on every row of an export, so they are limited to a reasonable size. */
const resourceBytesMax = 16 * 1024;

const otelKinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** Results of other readers that have no field. */
export interface MetadataExtras {
  parentSpanId: string | null;
  statedAgent: string | null;
  reasoningTokens: number | null;
  /** The conversations whose texts alone are in input and output. */
  inputMessages: Message[] | null;
  outputMessages: Message[] | null;
  /** Values were cut for size or depth. */
  truncated: boolean;
}

/** A span's metadata, and the part that its trace uses. */
export interface SpanMetadata {
  /** JSON text of an object. */
  text: string;
  userId: string | null;
  environment: string | null;
  tags: string[] | null;
  promptName: string | null;
  promptVersion: string | null;
  responseId: string | null;
  toolCallId: string | null;
}

/**
 * The metadata of a row (otlp 5.3, 5.6): the producer's entries, then the known ones, then `otel` with everything else.
 * Must be read last, when all consumed attributes are marked.
 */
export function readMetadata(facts: SpanFacts, extras: MetadataExtras): SpanMetadata {
  // Read first, so that consumed attributes are not entries; written last, so that no entry replaces them.
  const known = {
    userId: readText(facts, userSources),
    environment: readText(facts, environmentSources),
    tags: readTags(facts),
    provider: readProvider(facts),
    promptName: readText(facts, promptNameSources),
    promptVersion: readText(facts, promptVersionSources),
    version: readText(facts, versionSources),
    release: readText(facts, releaseSources),
    toolDefinitions: readToolDefinitions(facts),
    reasoningTokens: extras.reasoningTokens,
    reportedCostUSD: readReportedCost(facts),
  };
  const metadata = new JsonObjectText();
  for (const [name, value] of producerEntries(facts)) {
    if (name !== "otel" && !isKnown(known, name)) metadata.add(name, value);
  }
  for (const name in known) metadata.add(name, known[name as keyof typeof known]);
  const ids = { responseId: readText(facts, responseIdSources), toolCallId: readText(facts, toolCallIdSources) };
  metadata.addText("otel", otelText(facts, extras, ids));
  const { userId, environment, tags, promptName, promptVersion } = known;
  return { text: metadata.toText() as string, userId, environment, tags, promptName, promptVersion, ...ids };
}

function isKnown(known: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(known, name) && known[name] !== null;
}

/** The producer's metadata; single entries win over whole objects. Noise stays among the attributes. */
function producerEntries(facts: SpanFacts): ReadonlyMap<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const key of metadataObjectSources) {
    const object = facts.parsed(key);
    if (!isRecord(object)) continue;
    facts.consume(key);
    for (const name of Object.keys(object)) entries.set(name, object[name]);
  }
  for (const [key, value] of facts.attributes) {
    const prefix = metadataPrefix.exec(key)?.[0];
    if (prefix === undefined || facts.isConsumed(key) || metadataNoise.test(key)) continue;
    facts.consume(key);
    const isQuoted = prefix.startsWith("langfuse.") && quotesLangfuseTexts(facts);
    entries.set(key.slice(prefix.length), isQuoted ? unquoted(value) : value);
  }
  return entries;
}

/** Langfuse's client for Python writes each entry as JSON since version 5, also on spans of other libraries: text is then quoted. */
function quotesLangfuseTexts({ scope, resource }: SpanFacts): boolean {
  if (resource.attributes.get("telemetry.sdk.language") !== "python") return false;
  return scope.name !== "langfuse-sdk" || Number.parseInt(scope.version, 10) >= 5;
}

function unquoted(value: AttributeValue): AttributeValue {
  const parsed = typeof value === "string" && value.startsWith('"') ? looselyParsed(value) : null;
  return typeof parsed === "string" ? parsed : value;
}

/** A list, a list as JSON text, or comma-separated text. */
function readTags(facts: SpanFacts): string[] | null {
  for (const source of tagSources) {
    const given = facts.parsed(source as string);
    const list = typeof given === "string" ? given.split(",") : given;
    if (!Array.isArray(list)) continue;
    const tags = list.filter((tag) => typeof tag === "string").map((tag) => tag.trim());
    facts.consume(source as string);
    if (tags.some((tag) => tag !== "")) return tags.filter((tag) => tag !== "");
  }
  return null;
}

/** The AI SDK appends the API to the provider: `openai.chat`. */
function readProvider(facts: SpanFacts): string | null {
  const provider = readText(facts, providerSources);
  return facts.scope.name === "ai" ? (provider?.replace(/\..*/s, "") ?? null) : provider;
}

function readReportedCost(facts: SpanFacts): number | null {
  const total = readNumber(facts, reportedCostSources);
  if (total !== null) return total > 0 ? total : null;
  const input = readNumber(facts, ["gen_ai.usage.input_cost"]) ?? 0;
  const output = readNumber(facts, ["gen_ai.usage.output_cost"]) ?? 0;
  return input + output || sumOfCosts(facts.parsed("langfuse.observation.cost_details")) || null;
}

/** Langfuse's clients send the costs of the parts without their total. */
function sumOfCosts(details: unknown): number {
  return isRecord(details) ? Object.values(details).reduce<number>((sum, cost) => sum + (toNumber(cost) ?? 0), 0) : 0;
}

function otelText(
  facts: SpanFacts,
  extras: MetadataExtras,
  ids: Pick<SpanMetadata, "responseId" | "toolCallId">,
): string | null {
  const { span, scope, resource } = facts;
  const otel = new JsonObjectText();
  otel.add("traceId", span.traceId);
  otel.add("spanId", span.spanId);
  otel.add("parentSpanId", extras.parentSpanId);
  otel.addText("scope", scopeText(scope));
  otel.addText("resource", resourceText(resource));
  otel.add("kind", otelKinds[span.otelKind]);
  if (span.traceState !== "") otel.add("traceState", span.traceState);
  if (span.flags !== 0) otel.add("flags", span.flags);
  otel.add("agentName", extras.statedAgent);
  otel.add("responseId", ids.responseId);
  otel.add("toolCallId", ids.toolCallId);
  otel.add("exception", readException(facts));
  if (extras.inputMessages !== null || extras.outputMessages !== null) {
    otel.add("messages", { input: extras.inputMessages ?? undefined, output: extras.outputMessages ?? undefined });
  }
  otel.add("events", eventsValue(facts));
  otel.add("links", linksValue(facts));
  otel.add("droppedCounts", droppedCounts(facts));
  if (extras.truncated) otel.add("truncated", true);
  otel.addText("attributes", attributesText(facts));
  return otel.toText();
}

function attributesText(facts: SpanFacts): string | null {
  const rest = new JsonObjectText();
  for (const [key, value] of facts.attributes) {
    if (!facts.isConsumed(key) && !isLargeVector(key, value)) rest.addText(key, JSON.stringify(value));
  }
  return rest.toText();
}

function scopeText(scope: ReceivedScope): string {
  const { name, version } = scope;
  scope.storedText ??= JSON.stringify(version === "" ? { name } : { name, version });
  return scope.storedText;
}

function resourceText(resource: ReceivedResource): string {
  if (resource.storedText !== null) return resource.storedText;
  const kept = new Map(resource.attributes);
  capMaps([kept], resourceBytesMax);
  resource.storedText = mapText(kept);
  return resource.storedText;
}

function eventsValue(facts: SpanFacts): unknown[] | null {
  const kept = leftEvents(facts);
  if (kept.length === 0) return null;
  return kept.slice(0, eventsMax).map((event) => ({
    name: event.name,
    time: isoTime(event.timeNano),
    attributes: event.attributes.size === 0 ? undefined : withoutVectors(event.attributes),
  }));
}

/** Exceptions are stored separately; consumed events became input and output. */
function leftEvents(facts: SpanFacts): ReceivedEvent[] {
  return facts.span.events.filter((event) => event.name !== "exception" && !facts.isConsumedEvent(event));
}

function linksValue({ span }: SpanFacts): unknown[] | null {
  if (span.links.length === 0) return null;
  return span.links.slice(0, linksMax).map(({ traceId, spanId, attributes }) => ({
    traceId,
    spanId,
    attributes: attributes.size === 0 ? undefined : asObject(attributes),
  }));
}

function droppedCounts(facts: SpanFacts): Record<string, number> | null {
  const { span } = facts;
  if (span.droppedAttributes + span.droppedEvents + span.droppedLinks + span.events.length + span.links.length === 0) {
    return null;
  }
  const counts = {
    attributes: span.droppedAttributes,
    events: span.droppedEvents + Math.max(0, leftEvents(facts).length - eventsMax),
    links: span.droppedLinks + Math.max(0, span.links.length - linksMax),
  };
  const dropped = Object.entries(counts).filter(([, count]) => count > 0);
  return dropped.length === 0 ? null : Object.fromEntries(dropped);
}

function withoutVectors(attributes: AttributeMap): Record<string, unknown> {
  return asObject(new Map([...attributes].filter(([key, value]) => !isLargeVector(key, value))));
}

function asObject(attributes: AttributeMap): Record<string, unknown> {
  return Object.fromEntries(attributes);
}

function mapText(attributes: AttributeMap): string {
  const object = new JsonObjectText();
  for (const [key, value] of attributes) object.addText(key, JSON.stringify(value));
  return object.toText() ?? "{}";
}

function isoTime(nano: bigint): string | undefined {
  const ms = Number(nano / 1_000_000n);
  return nano === 0n || ms > 8.64e15 ? undefined : new Date(ms).toISOString();
}

/**
 * Vectors of this many numbers or more are dropped: they are not readable and would outweigh everything else (otlp
 * 5.6).
 */
const vectorNumbersMin = 64;

/** True if an attribute is an embedding vector, or a list of them, too large to keep. */
function isLargeVector(key: string, value: AttributeValue): boolean {
  if (!key.includes("embedding")) return false;
  const parsed = looselyParsed(value);
  if (!Array.isArray(parsed)) return false;
  return isVector(parsed) || (parsed.length > 0 && parsed.every((item) => isVector(looselyParsed(item))));
}

function isVector(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < vectorNumbersMin) return false;
  return value.every((item) => typeof item === "number" || isRawNumber(item));
}
