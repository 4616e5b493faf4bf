import { limits } from "@touchstone/contracts/limits";
import type { ProtobufReader } from "./protobuf-reader.ts";
import { readAttribute } from "./read-protobuf-value.ts";
import type { ReceivedEvent, ReceivedLink, ReceivedSpan } from "./received-span.ts";
import { countValue, RefusedItemError } from "./refused-item.ts";

const TRACE_ID = 10;
const SPAN_ID = 18;
const TRACE_STATE = 26;
const PARENT_SPAN_ID = 34;
const NAME = 42;
const KIND = 48;
const START = 57;
const END = 65;
const ATTRIBUTES = 74;
const DROPPED_ATTRIBUTES = 80;
const EVENTS = 90;
const DROPPED_EVENTS = 96;
const LINKS = 106;
const DROPPED_LINKS = 112;
const STATUS = 122;
const FLAGS = 133;

const EVENT_TIME = 9;
const EVENT_NAME = 18;
const EVENT_ATTRIBUTES = 26;
const LINK_TRACE_ID = 10;
const LINK_SPAN_ID = 18;
const LINK_ATTRIBUTES = 34;
const STATUS_MESSAGE = 18;
const STATUS_CODE = 24;

/**
 * Reads the `Span` between the cursor and `end` into `span`. Throws ProtobufError for invalid bytes and
 * RefusedItemError if it has too many values.
 */
export function readProtobufSpan(reader: ProtobufReader, end: number, span: ReceivedSpan): void {
  while (reader.position < end) {
    const tag = reader.readTag(end);
    switch (tag) {
      case TRACE_ID:
        span.traceId = reader.readHex(end);
        break;
      case SPAN_ID:
        span.spanId = reader.readHex(end);
        break;
      case TRACE_STATE:
        span.traceState = reader.readString(end);
        break;
      case PARENT_SPAN_ID:
        span.parentSpanId = reader.readHex(end);
        break;
      case NAME:
        span.name = reader.readString(end);
        break;
      case KIND:
        span.otelKind = withinRange(reader.readInt32(end), 5);
        break;
      case START:
        span.startNano = reader.readFixed64(end);
        break;
      case END:
        span.endNano = reader.readFixed64(end);
        break;
      case ATTRIBUTES:
        readAttribute(reader, reader.readLength(end), span.attributes, span);
        break;
      case DROPPED_ATTRIBUTES:
        span.droppedAttributes = reader.readInt32(end) >>> 0;
        break;
      case EVENTS:
        requireFewer(span.events, limits.otlpEventsMax, "events");
        span.events.push(readEvent(reader, reader.readLength(end), span));
        break;
      case DROPPED_EVENTS:
        span.droppedEvents = reader.readInt32(end) >>> 0;
        break;
      case LINKS:
        requireFewer(span.links, limits.otlpLinksMax, "links");
        span.links.push(readLink(reader, reader.readLength(end), span));
        break;
      case DROPPED_LINKS:
        span.droppedLinks = reader.readInt32(end) >>> 0;
        break;
      case STATUS:
        readStatus(reader, reader.readLength(end), span);
        break;
      case FLAGS:
        span.flags = reader.readFixed32(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

function requireFewer(list: readonly unknown[], itemsMax: number, name: string): void {
  if (list.length >= itemsMax) throw new RefusedItemError(`more than ${itemsMax} ${name}`);
}

function readEvent(reader: ProtobufReader, end: number, span: ReceivedSpan): ReceivedEvent {
  countValue(span);
  const event: ReceivedEvent = { timeNano: 0n, name: "", attributes: new Map() };
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === EVENT_TIME) event.timeNano = reader.readFixed64(end);
    else if (tag === EVENT_NAME) event.name = reader.readString(end);
    else if (tag === EVENT_ATTRIBUTES) readAttribute(reader, reader.readLength(end), event.attributes, span);
    else reader.skip(tag, end);
  }
  return event;
}

function readLink(reader: ProtobufReader, end: number, span: ReceivedSpan): ReceivedLink {
  countValue(span);
  const link: ReceivedLink = { traceId: "", spanId: "", attributes: new Map() };
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === LINK_TRACE_ID) link.traceId = reader.readHex(end);
    else if (tag === LINK_SPAN_ID) link.spanId = reader.readHex(end);
    else if (tag === LINK_ATTRIBUTES) readAttribute(reader, reader.readLength(end), link.attributes, span);
    else reader.skip(tag, end);
  }
  return link;
}

function readStatus(reader: ProtobufReader, end: number, span: ReceivedSpan): void {
  while (reader.position < end) {
    const tag = reader.readTag(end);
    if (tag === STATUS_MESSAGE) span.statusMessage = reader.readString(end);
    else if (tag === STATUS_CODE) span.statusCode = withinRange(reader.readInt32(end), 2);
    else reader.skip(tag, end);
  }
}

/** An unknown enum value means unspecified (otlp 2, What is invalid). */
function withinRange(value: number, max: number): number {
  return value >= 0 && value <= max ? value : 0;
}
