import { expect, test, vi } from "vitest";
import { decodeTraceExport } from "../../src/otlp/decode-trace-export.ts";
import { OtlpDecodeError } from "../../src/otlp/wire/otlp-decode-error.ts";
import type { AttributeMap, AttributeValue, ReceivedSpan } from "../../src/otlp/wire/received-span.ts";
import { listCaptures, nowMs, readCapture, readFixture, readSpans } from "./corpus.ts";
import {
  decodeReference,
  encodeReference,
  type PlainExport,
  type PlainKeyValue,
  type PlainSpan,
} from "./reference-decoder.ts";

// Tens of thousands of decodings, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const mutationsCount = process.env.TOUCHSTONE_LONG_TESTS === "1" ? 100_000 : 5_000;
/**
 * One in this many of the damaged bodies is a whole capture instead of a single span, and one in this many is mapped
 * too.
 */
const wholeEvery = 20;
const mappedEvery = 10;

const captures = listCaptures().filter(({ contentType }) => contentType === "protobuf");
const traces = captures.filter(({ signal }) => signal === "traces");
const bodies = await Promise.all([...captures.map(readCapture), readFixture("_synthetic/06-minimal.bin")]);
const spanBodies = (await Promise.all(traces.map(readCapture))).flatMap(splitExport);

test.each(traces)("our reader and the reference read the same from $name", async (capture) => {
  expect(compare(await readCapture(capture))).toBe("both accept");
});

test("they agree on damaged bodies, value by value; only groups, which OTLP has none of, are refused by ours alone", async () => {
  const random = seededRandom(20_261_121);
  const outcomes = { "both accept": 0, "both refuse": 0, "ours refuses": 0 };
  for (let round = 0; round < mutationsCount; round += 1) {
    const pool = round % wholeEvery === 0 ? bodies : spanBodies;
    const body = mutate(pool[Math.floor(random() * pool.length)] as Buffer, random);
    outcomes[compare(body)] += 1;
    if (round % mappedEvery === 0) await decodeOrRefuse(body);
  }
  // The damage must be of both sorts to prove anything.
  expect(outcomes["both accept"]).toBeGreaterThan(0.4 * mutationsCount);
  expect(outcomes["both refuse"]).toBeGreaterThan(0.4 * mutationsCount);
});

test.each(traces)(
  "a broken span before and after costs $name nothing, where the reference loses all",
  async (capture) => {
    const body = await readCapture(capture);
    // resourceSpans { scopeSpans { spans { a field of wire type 7 } } }
    const broken = Buffer.from([0x0a, 0x05, 0x12, 0x03, 0x12, 0x01, 0x0f]);
    const damaged = Buffer.concat([broken, body, broken]);
    const readings = [...readSpans({ body: damaged, contentType: "protobuf" })].map(({ reading }) => reading);
    expect(readings.filter((reading) => "unreadable" in reading)).toHaveLength(2);
    const spans = readings.flatMap((reading) => ("unreadable" in reading ? [] : [describeOurs(reading.span)]));
    expect(spans).toEqual(describeReference(decodeReference(body)).map(({ span }) => span));
    expect(readTheirs(damaged)).toBeNull();
  },
);

async function decodeOrRefuse(body: Buffer): Promise<void> {
  try {
    const { spans, spanCount, rejected } = await decodeTraceExport({ body, contentType: "protobuf", nowMs });
    expect(spans.length + rejected).toBeLessThanOrEqual(spanCount);
    for (const { metadata } of spans) JSON.parse(metadata as string);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(OtlpDecodeError);
  }
}

function compare(body: Buffer): "both accept" | "both refuse" | "ours refuses" {
  const ours = readOurs(body);
  const theirs = readTheirs(body);
  if (ours.refusal !== null) {
    if (theirs === null) return "both refuse";
    expect(stricterThanReference).toContain(ours.refusal);
    return "ours refuses";
  }
  // Bodies that the reference refuses are never stored: the only exception is U+FFFD for invalid text.
  if (theirs === null) throw new Error(`only the reference refuses ${body.toString("hex")}`);
  if (JSON.stringify(ours.spans) !== JSON.stringify(theirs)) expect(ours.spans).toEqual(theirs);
  return "both accept";
}

/** The reference passes over groups, which OTLP has none of. */
const stricterThanReference: readonly string[] = [3, 4].map(
  (wireType) => `span could not be decoded: a field has wire type ${wireType}`,
);

/** `refusal`: why the export is refused, or a span of it. */
function readOurs(body: Buffer): { spans: unknown[]; refusal: string | null } {
  const spans: unknown[] = [];
  try {
    for (const { reading, item } of readSpans({ body, contentType: "protobuf" })) {
      if ("unreadable" in reading) return { spans, refusal: reading.unreadable };
      const { span } = reading;
      const { scope, resource } = item;
      if (span.depthTruncated) return { spans, refusal: "depth" };
      spans.push({
        scope: [scope.name, scope.version],
        resource: entries(resource.attributes),
        span: describeOurs(span),
      });
    }
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(OtlpDecodeError);
    return { spans, refusal: (thrown as Error).message };
  }
  return { spans, refusal: null };
}

/** Null when the reference refuses the body. A text that is not UTF-8 does not lose the span: it becomes U+FFFD. */
function readTheirs(body: Buffer): unknown[] | null {
  try {
    return describeReference(decodeReference(body, { repairsText: true }));
  } catch {
    return null;
  }
}

function describeOurs(span: ReceivedSpan): unknown {
  const { traceId, spanId, parentSpanId, traceState, name, otelKind, startNano, endNano, statusCode, flags } = span;
  return {
    ids: [traceId, spanId, parentSpanId],
    texts: [traceState, name, span.statusMessage],
    numbers: [otelKind, statusCode, flags, String(startNano), String(endNano)],
    dropped: [span.droppedAttributes, span.droppedEvents, span.droppedLinks],
    attributes: entries(span.attributes),
    events: span.events.map((event) => [event.name, String(event.timeNano), entries(event.attributes)]),
    links: span.links.map((link) => [link.traceId, link.spanId, entries(link.attributes)]),
  };
}

function describeReference(plain: PlainExport): { scope: unknown; resource: string; span: unknown }[] {
  return (plain.resourceSpans ?? []).flatMap((entry) =>
    (entry.scopeSpans ?? []).flatMap((scopeEntry) =>
      (scopeEntry.spans ?? []).map((span) => ({
        scope: [scopeEntry.scope?.name ?? "", scopeEntry.scope?.version ?? ""],
        resource: entries(attributeMap(entry.resource?.attributes)),
        span: describeTheirs(span),
      })),
    ),
  );
}

function describeTheirs(span: PlainSpan): unknown {
  const status = (span.status ?? {}) as { code?: number; message?: string };
  const events = (span.events ?? []) as { name?: string; timeUnixNano?: string; attributes?: PlainKeyValue[] }[];
  return {
    ids: [idStart(span.traceId), idStart(span.spanId), idStart(span.parentSpanId)],
    texts: [span.traceState ?? "", span.name ?? "", status.message ?? ""],
    numbers: [
      withinRange(span.kind, 5),
      withinRange(status.code, 2),
      span.flags ?? 0,
      span.startTimeUnixNano ?? "0",
      span.endTimeUnixNano ?? "0",
    ],
    dropped: [span.droppedAttributesCount ?? 0, span.droppedEventsCount ?? 0, span.droppedLinksCount ?? 0],
    attributes: entries(attributeMap(span.attributes)),
    events: events.map((event) => [
      event.name ?? "",
      event.timeUnixNano ?? "0",
      entries(attributeMap(event.attributes)),
    ]),
    links: (span.links ?? []).map((link) => [
      idStart(link.traceId),
      idStart(link.spanId),
      entries(attributeMap(link.attributes)),
    ]),
  };
}

function idStart(id: string | undefined): string {
  return (id ?? "").slice(0, 64);
}

function withinRange(value: unknown, max: number): number {
  return typeof value === "number" && value >= 0 && value <= max ? value : 0;
}

function attributeMap(list: PlainKeyValue[] | undefined): AttributeMap {
  return new Map((list ?? []).map(({ key, value }) => [key ?? "", plainValue(value)]));
}

/** The reference leaves the default of a oneof in place, so the present member is the one that was sent last. */
function plainValue(any: Record<string, unknown> | undefined): AttributeValue {
  const [name, value] = Object.entries(any ?? {}).at(-1) ?? [];
  switch (name) {
    case undefined:
      return null;
    case "intValue":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "arrayValue":
      return ((value as { values?: Record<string, unknown>[] }).values ?? []).map(plainValue);
    case "kvlistValue":
      return Object.fromEntries(attributeMap((value as { values?: PlainKeyValue[] }).values));
    default:
      return value as AttributeValue;
  }
}

/** As text, because records without a prototype and plain ones are the same to JSON. */
function entries(attributes: AttributeMap): string {
  return JSON.stringify([...attributes]);
}

/** A separate export for each span, under its scope and resource. */
function splitExport(body: Buffer): Buffer[] {
  return (decodeReference(body).resourceSpans ?? []).flatMap((entry) =>
    (entry.scopeSpans ?? []).flatMap((scopeEntry) =>
      (scopeEntry.spans ?? []).map((span) =>
        encodeReference({ resourceSpans: [{ ...entry, scopeSpans: [{ ...scopeEntry, spans: [span] }] }] }),
      ),
    ),
  );
}

/** One to three faults of the kinds transport and bad encoders make: flipped, lost, doubled and inserted bytes, cuts. */
function mutate(body: Buffer, random: () => number): Buffer {
  let mutated = Buffer.from(body);
  const faults = 1 + Math.floor(random() ** 2 * 3);
  for (let fault = 0; fault < faults; fault += 1) {
    const at = Math.floor(random() * mutated.length);
    const length = 1 + Math.floor(random() * 8);
    switch (Math.floor(random() * 9)) {
      case 0:
      case 1:
      case 2:
        mutated[at] = Math.floor(random() * 256);
        break;
      case 3:
      case 4:
      case 5:
        mutated[at] = (mutated[at] ?? 0) ^ (1 << Math.floor(random() * 8));
        break;
      case 6:
        mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + length)]);
        break;
      case 7:
        mutated = Buffer.concat([mutated.subarray(0, at + length), mutated.subarray(at)]);
        break;
      default:
        mutated = mutated.subarray(0, at + 1);
    }
  }
  return mutated;
}

/** mulberry32: small, and the same everywhere. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
