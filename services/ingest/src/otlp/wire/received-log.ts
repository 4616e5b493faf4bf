import { limits } from "@touchstone/contracts/limits";
import type { AttributeMap, AttributeValue, ReadNote } from "./received-span.ts";

/** A log record as received, the same for protobuf and JSON (otlp 4, 7). Absent is "", 0n, null or empty. */
export interface ReceivedLog extends ReadNote {
  /** Lowercase hex for protobuf, the lowercased text for JSON. Possibly of the wrong length. */
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
}

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
    valuesLeft: limits.otlpValuesMax,
  };
}
