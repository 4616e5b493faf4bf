import { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import type { RootFilter } from "../model/root-filter.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import type { TailPosition, TailState } from "./tail-store.ts";

/** What a reader asked for. */
export interface StreamWishes {
  /** The roots of the list; null = none can match. */
  filter: RootFilter | null;
  /** Told as the list previews them, at the prices of this project; null = as the list shows them. */
  preview: PricedProject | null;
}

/** One reader of the live tail, told by server-sent events. */
export interface TraceStream {
  readonly projectId: string;
  readonly readable: Readable;
  /** How far it was told. */
  position: TailPosition;
  /** It was told where it begins, and has room for more. */
  readonly isReady: boolean;
  readonly wishes: StreamWishes;
  /** Whether the framework and the source are those it asked for; what else it asked for is the store's to tell. */
  wants(root: { framework: string | null; source: string | null }): boolean;
  /** Whether what this transaction stored was there before the stream began. */
  preceded(xid: bigint): boolean;
  /** `state` is of the moment from which the reader wants to be told; null = it goes on where it was. */
  begin(at: TailPosition, { isReset, state }: { isReset: boolean; state: TailState | null }): void;
  /** Tells the trace at its position; `item` is JSON. */
  tell(item: Buffer): void;
  /** There was nothing more up to here. */
  reach(now: TailPosition): void;
  /** Says that the connection lives, and where the reader may go on from. */
  mark(): void;
  end(): void;
}

/** A reader that catches up is told no faster than it reads, by so much at a time. */
const catchUpBytes = 256 * 1024;

export function createTraceStream(options: {
  projectId: string;
  wishes: StreamWishes;
  /** The id of an event that is told now and leaves its reader at a place. */
  idOf: (position: TailPosition) => string;
}): TraceStream {
  const { projectId, wishes, idOf } = options;
  const { filter } = wishes;
  const readable = new Readable({ read() {} });
  let hasBegun = false;
  let isCatchingUp = true;
  let beginning: TailState | null = null;

  /** A reader that falls too far behind is cut off; it comes back and goes on where it was. */
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
    get isReady() {
      return hasBegun && !readable.destroyed && !(isCatchingUp && readable.readableLength > catchUpBytes);
    },
    wants({ framework, source }) {
      if (filter === null) return false;
      if (filter.framework !== null && framework !== filter.framework) return false;
      return filter.source === "all" || (filter.source === "eval") === (source === "eval-run");
    },
    // A transaction that runs long holds the order back: behind it may be what was stored before the reader came.
    preceded: (xid) => beginning !== null && xid < beginning.nextXid && !beginning.running.has(xid),
    begin(at, { isReset, state }) {
      stream.position = at;
      beginning = state;
      hasBegun = true;
      if (isReset) push(`${idLine()}event: reset\ndata: {}\n\n`);
      else stream.mark();
    },
    tell(item) {
      push(Buffer.concat([Buffer.from(`${idLine()}event: trace\ndata: `), onOneLine(item), Buffer.from("\n\n")]));
    },
    // Until it has read most of what it was told, it has not caught up: a large trace takes a while to leave.
    reach(now) {
      stream.position = now;
      if (readable.readableLength <= catchUpBytes) isCatchingUp = false;
    },
    // An id without data moves the reader's place and is no event.
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

/** A line break between the tokens of a sender's JSON would end the data of an event; within its strings there is none. */
function onOneLine(json: Buffer): Buffer {
  if (!json.includes(0x0a) && !json.includes(0x0d)) return json;
  return Buffer.from(json.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
