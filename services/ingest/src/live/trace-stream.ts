import { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import type { RootFilter } from "../model/root-filter.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import type { TailPosition, TailState } from "./tail-store.ts";

/** The options of a reader. */
export interface StreamWishes {
  /** The filter of the list; null = no root can match. */
  filter: RootFilter | null;
  /** Items are previews at the prices of this project; null = full list items. */
  preview: PricedProject | null;
}

/** One reader of the live tail, over server-sent events. */
export interface TraceStream {
  readonly projectId: string;
  readonly readable: Readable;
  /** The position that the reader has reached. */
  position: TailPosition;
  /** The stream has begun, and its buffer is not full. */
  readonly isReady: boolean;
  /** It has not yet reached the present: it is sent no more than its reader takes. */
  readonly isCatchingUp: boolean;
  readonly wishes: StreamWishes;
  /** True if the framework and the source match; the store checks the other filters. */
  wants(root: { framework: string | null; source: string | null }): boolean;
  /** True if this transaction's rows were stored before the stream began. */
  preceded(xid: bigint): boolean;
  /** `state` is of the moment from which the reader receives traces; null = it resumes. */
  begin(at: TailPosition, { isReset, state }: { isReset: boolean; state: TailState | null }): void;
  /** Sends the trace at its position; `item` is JSON. */
  send(item: Buffer): void;
  /** Advances the position when there is nothing more up to here. */
  reach(now: TailPosition): void;
  /** Sends a keep-alive and the position to resume from. */
  mark(): void;
  end(): void;
}

/** Buffered bytes of a reader that catches up: it receives data no faster than it reads. */
const catchUpBytes = 256 * 1024;

export function createTraceStream(options: {
  projectId: string;
  wishes: StreamWishes;
  /** The id of an event sent now that leaves its reader at a position. */
  idOf: (position: TailPosition) => string;
}): TraceStream {
  const { projectId, wishes, idOf } = options;
  const { filter } = wishes;
  const readable = new Readable({ read() {} });
  let hasBegun = false;
  let isCatchingUp = true;
  let beginning: TailState | null = null;

  /** A reader that falls too far behind is disconnected; it reconnects and resumes. */
  function push(text: Buffer | string): void {
    if (readable.destroyed) return;
    if (readable.readableLength > limits.streamBacklogMaxBytes) readable.destroy();
    else readable.push(text);
  }

  const stream: TraceStream = {
    projectId,
    readable,
    wishes,
    position: { xid: 0n, seq: 0n },
    get isCatchingUp() {
      return isCatchingUp;
    },
    get isReady() {
      return hasBegun && !readable.destroyed && !(isCatchingUp && readable.readableLength > catchUpBytes);
    },
    wants({ framework, source }) {
      if (filter === null) return false;
      if (filter.framework !== null && framework !== filter.framework) return false;
      return filter.source === "all" || (filter.source === "eval") === (source === "eval-run");
    },
    // A long transaction holds the order back: rows behind it may have been stored before the reader connected.
    preceded: (xid) => beginning !== null && xid < beginning.nextXid && !beginning.running.has(xid),
    begin(at, { isReset, state }) {
      stream.position = at;
      beginning = state;
      hasBegun = true;
      if (isReset) push(`${idLine()}event: reset\ndata: {}\n\n`);
      else stream.mark();
    },
    send(item) {
      push(Buffer.concat([Buffer.from(`${idLine()}event: trace\ndata: `), onOneLine(item), Buffer.from("\n\n")]));
    },
    // A reader has caught up only after it has read most of its buffer: a large trace takes a while to send.
    reach(now) {
      stream.position = now;
      if (readable.readableLength <= catchUpBytes) isCatchingUp = false;
    },
    // An id without data updates the reader's position and is not an event.
    mark: () => push(`: alive\n${idLine()}\n`),
    end() {
      if (!readable.destroyed) readable.push(null);
    },
  };

  function idLine(): string {
    return `id: ${idOf(stream.position)}\n`;
  }

  return stream;
}

/** A line break between JSON tokens would end the data of an event; inside strings there is none. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
