import { limits } from "@touchstone/contracts/limits";

/**
 * A span as it came off the wire, the same for protobuf and JSON, before anything is judged or mapped (otlp 4). What
 * is absent is "", 0, 0n or an empty collection, which is what absence means in OTLP.
 */
export interface ReceivedSpan extends ReadNote {
  /** Lowercase hex for protobuf, the text as sent for JSON. Possibly of the wrong length. */
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer; anything else is 0, unspecified. */
  otelKind: number;
  /** Nanoseconds since the epoch, unsigned 64 bit. */
  startNano: bigint;
  endNano: bigint;
  attributes: AttributeMap;
  events: ReceivedEvent[];
  links: ReceivedLink[];
  droppedAttributes: number;
  droppedEvents: number;
  droppedLinks: number;
  /** 1 ok, 2 error; anything else is 0, unset. */
  statusCode: number;
  statusMessage: string;
  flags: number;
  /** Size of the span on the wire: no collection of its values can be larger. */
  wireBytes: number;
}

/** What a reader of attributes notes beside them. */
export interface ReadNote {
  /** Something lay deeper than {@link limits.otlpDepthMax} and was replaced by {@link truncationMarker}. */
  depthTruncated: boolean;
  /** How many values may still be read, of {@link limits.otlpValuesMax}; see countValue. */
  valuesLeft: number;
}

export interface ReceivedEvent {
  timeNano: bigint;
  name: string;
  attributes: AttributeMap;
}

export interface ReceivedLink {
  traceId: string;
  spanId: string;
  attributes: AttributeMap;
}

/** One `ResourceSpans.resource`; every span of it shares the object. */
export interface ReceivedResource {
  attributes: AttributeMap;
  /** The JSON text its spans store of it, written when the first of them needs it. */
  storedText: string | null;
}

export interface ReceivedScope {
  name: string;
  version: string;
  /** As of the resource. */
  storedText: string | null;
}

/** A Map, because keys such as `__proto__` are data. A key sent twice keeps its last value. */
export type AttributeMap = Map<string, AttributeValue>;

/**
 * A value JSON can carry: integers beyond 2^53 and the doubles JSON lacks (NaN, Infinity) are strings, bytes are
 * base64. Records have no prototype.
 */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | AttributeRecord;

export interface AttributeRecord {
  [key: string]: AttributeValue;
}

/** A span with nothing set, for the two readers to fill. */
export function emptySpan(wireBytes: number): ReceivedSpan {
  return {
    traceId: "",
    spanId: "",
    parentSpanId: "",
    traceState: "",
    name: "",
    otelKind: 0,
    startNano: 0n,
    endNano: 0n,
    attributes: new Map(),
    events: [],
    links: [],
    droppedAttributes: 0,
    droppedEvents: 0,
    droppedLinks: 0,
    statusCode: 0,
    statusMessage: "",
    flags: 0,
    wireBytes,
    depthTruncated: false,
    valuesLeft: limits.otlpValuesMax,
  };
}

/** JSON has no NaN and no infinities; OTLP/JSON itself writes them as these strings. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
