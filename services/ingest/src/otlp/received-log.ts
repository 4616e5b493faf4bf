import type { AttributeMap, AttributeValue, ReceivedResource, ReceivedScope } from "./received-span.ts";

/** A log record as it came off the wire, the same for protobuf and JSON (otlp 4, 7). Absent is "", 0n, null or empty. */
export interface ReceivedLog {
  /** Lowercase hex for protobuf, the text as sent for JSON, in lower case. Possibly of the wrong length. */
  traceId: string;
  spanId: string;
  timeNano: bigint;
  observedNano: bigint;
  /** Newer producers name the event here, older ones in the attribute `event.name`. */
  eventName: string;
  body: AttributeValue;
  attributes: AttributeMap;
  /** Size of the record on the wire: no collection of its values can be larger. */
  wireBytes: number;
  /** Something lay too deep and was replaced by a marker. */
  depthTruncated: boolean;
}

/** As of a span; see SpanReading. */
export type LogReading =
  | { log: ReceivedLog; scope: ReceivedScope; resource: ReceivedResource }
  | { unreadable: string; name: string; scope: ReceivedScope; foreign: boolean }
  | null;

export function emptyLog(wireBytes: number): ReceivedLog {
  return {
    traceId: "",
    spanId: "",
    timeNano: 0n,
    observedNano: 0n,
    eventName: "",
    body: null,
    attributes: new Map(),
    wireBytes,
    depthTruncated: false,
  };
}
