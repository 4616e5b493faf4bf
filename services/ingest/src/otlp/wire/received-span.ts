import { limits } from "@touchstone/contracts/limits";

/**
 * A span as received, the same for protobuf and JSON, before validation and mapping (otlp 4). Absent values are "", 0,
 * 0n or an empty collection, as OTLP defines.
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

/** Notes of an attribute reader. */
export interface ReadNote {
  /** A value deeper than {@link limits.otlpDepthMax} was replaced by {@link truncationMarker}. */
  depthTruncated: boolean;
  /** Remaining number of values, of {@link limits.otlpValuesMax}; see countValue. */
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

/** One `ResourceSpans.resource`; all of its spans share the object. */
export interface ReceivedResource {
  attributes: AttributeMap;
  /** The JSON text that its spans store, serialised when the first of them needs it. */
  storedText: string | null;
}

export interface ReceivedScope {
  name: string;
  version: string;
  /** As for the resource. */
  storedText: string | null;
}

/** A Map, because keys such as `__proto__` are data. A key sent twice keeps its last value. */
export type AttributeMap = Map<string, AttributeValue>;

/**
 * A JSON value: integers beyond 2^53 and the doubles that JSON lacks (NaN, Infinity) are strings, bytes are base64.
 * Records have no prototype.
 */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | AttributeRecord;

export interface AttributeRecord {
  [key: string]: AttributeValue;
}

/** An empty span for the two readers to fill. */
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

/** JSON has no NaN and no infinities; OTLP/JSON writes them as these strings. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
