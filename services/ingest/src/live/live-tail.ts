import type { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import { AppError, type Clock, isAppError, type Logger } from "@touchstone/service-kit";
import type { ReadSpan } from "../model/read-span.ts";
import type { RootFilter } from "../model/root-filter.ts";
import type { PricedProject } from "../pricing/price-store.ts";
import type { TraceStore } from "../trace-store/trace-store.ts";
import type { EventIds } from "./event-ids.ts";
import { createSeqFloors } from "./seq-floors.ts";
import type { TailPosition, TailRow, TailState, TailStore } from "./tail-store.ts";
import { createTraceStream, type StreamWishes, type TraceStream } from "./trace-stream.ts";

/** Streams traces as any replica stores them (completions 1.8). */
export interface LiveTail {
  /**
   * Opens a stream of server-sent events: every root of the project that is committed from now on, each once, in one
   * order for all readers. With a last event id it resumes right after that event. If that event is over an hour old or
   * the id is invalid, the stream begins with `reset`.
   */
  open(reader: { projectId: string; lastEventId: string | null } & StreamWishes): Promise<Readable>;
  stop(): Promise<void>;
}

export interface LiveTailOptions {
  store: TailStore;
  traces: Pick<TraceStore, "readRoots" | "matchRoots">;
  /** A list item as JSON; a preview if prices are given. */
  show(root: ReadSpan, preview: PricedProject | null): Promise<Buffer>;
  eventIds: EventIds;
  clock: Clock;
  logger: Logger;
}

const pollMs = 200;
const retryMs = 2_000;
const markMs = 15_000;
/** Rows of the order, and full roots, in one read. */
const rowsMax = 500;
const rootsMax = 16;

/** One poll serves all streams of the process at the same position: all but those that catch up. */
export function createLiveTail({ store, traces, show, eventIds, clock, logger }: LiveTailOptions): LiveTail {
  const streams = new Set<TraceStream>();
  /** Streams of projects that could not be read, with the time of the next attempt. */
  const putOff = new WeakMap<TraceStream, number>();
  const floors = createSeqFloors(store);
  let polling: Promise<void> | null = null;
  let wake = (): void => {};
  let stopped = false;

  async function readHorizon(): Promise<{ now: TailPosition; state: TailState }> {
    const state = await floors.readState();
    return { now: { xid: state.horizon, seq: 0n }, state };
  }

  /** Matches these rows against the filters of streams that filter by more than framework and source. */
  async function matchSlice(
    slice: readonly TailRow[],
    group: readonly TraceStream[],
  ): Promise<ReadonlyMap<TraceStream, ReadonlySet<string>>> {
    const matches = new Map<TraceStream, ReadonlySet<string>>();
    for (const stream of group) {
      const { filter } = stream.wishes;
      if (filter === null || !isNarrow(filter)) continue;
      const ids = slice.filter(({ projectId }) => projectId === stream.projectId).map(({ id }) => id);
      matches.set(stream, ids.length === 0 ? new Set() : await traces.matchRoots(stream.projectId, filter, ids));
    }
    return matches;
  }

  /** Composes a root once for each format that its readers asked for. */
  async function showTo(readers: readonly TraceStream[], root: ReadSpan): Promise<ReadonlyMap<TraceStream, Buffer>> {
    const items = new Map<TraceStream, Buffer>();
    for (const [isPreview, streams] of Map.groupBy(readers, ({ wishes }) => wishes.preview !== null)) {
      const item = await show(root, isPreview ? (streams[0] as TraceStream).wishes.preview : null);
      for (const stream of streams) items.set(stream, item);
    }
    return items;
  }

  /**
   * The position advances with every row, so that a failure repeats nothing. Returns the streams that received all
   * rows: one that catches up keeps its position when its buffer is full, and gets the rest later.
   */
  async function send(rows: readonly TailRow[], group: readonly TraceStream[]): Promise<readonly TraceStream[]> {
    let receiving = group;
    // A stream that catches up may have enough to read after one large root.
    let size = group.some(({ isCatchingUp }) => isCatchingUp) ? 1 : rootsMax;
    for (let start = 0; start < rows.length; start += size, size = Math.min(2 * size, rootsMax)) {
      receiving = receiving.filter(({ isReady }) => isReady);
      if (receiving.length === 0) break;
      const slice = rows.slice(start, start + size);
      const roots = new Map<string, ReadSpan>();
      for (const [projectId, own] of Map.groupBy(slice, (row) => row.projectId)) {
        const ids = own.map(({ id }) => id);
        for await (const part of traces.readRoots(projectId, ids)) {
          for (const root of part) roots.set(`${projectId} ${root.id}`, root);
        }
      }
      const matches = await matchSlice(slice, group);
      for (const row of slice) {
        receiving = receiving.filter(({ isReady }) => isReady);
        const root = roots.get(`${row.projectId} ${row.id}`);
        const readers = receiving.filter(
          (stream) =>
            root !== undefined &&
            stream.projectId === row.projectId &&
            !stream.preceded(row.xid) &&
            stream.wants(root) &&
            (matches.get(stream)?.has(row.id) ?? true),
        );
        const items = root === undefined ? null : await showTo(readers, root);
        for (const stream of receiving) stream.position = { xid: row.xid, seq: row.seq };
        for (const stream of readers) stream.send(items?.get(stream) as Buffer);
      }
    }
    return receiving;
  }

  /** Sends streams at one position what follows it. Returns true if there is more to send at once. */
  async function sendNext(group: readonly TraceStream[], now: TailPosition): Promise<boolean> {
    const after = (group[0] as TraceStream).position;
    if (after.xid >= now.xid) return false;
    const projectIds = [...new Set(group.map(({ projectId }) => projectId))];
    const seqFloor = floors.floorOf(after.xid);
    const rows = await store.readAfter({ projectIds, after, below: now.xid, seqFloor, limit: rowsMax });
    const receiving = await send(rows, group);
    if (rows.length === rowsMax) return receiving.length > 0;
    for (const stream of receiving) stream.reach(now);
    return false;
  }

  /**
   * The same where the failure of one project does not delay the others: each is then read alone. The streams of a
   * deleted project end.
   */
  async function serve(group: readonly TraceStream[], now: TailPosition): Promise<boolean> {
    try {
      return await sendNext(group, now);
    } catch (err) {
      // Fails if no project can be read.
      await readHorizon();
      const [only, ...others] = Map.groupBy(group, ({ projectId }) => projectId).keys();
      if (others.length > 0) {
        let hasMore = false;
        for (const own of groupAlike(group, ({ projectId }) => projectId)) hasMore = (await serve(own, now)) || hasMore;
        return hasMore;
      }
      const isDeleted = isAppError(err) && err.code === "unauthorized";
      if (!isDeleted)
        logger.warn({ err, projectId: only }, "the live tail of a project could not be read; trying again");
      for (const stream of group) {
        if (!isDeleted) putOff.set(stream, performance.now() + retryMs);
        else if (streams.delete(stream)) stream.end();
      }
      return false;
    }
  }

  /** Returns true if there is more to send right away. */
  async function takeTurn(): Promise<boolean> {
    const startedMs = performance.now();
    const ready = [...streams].filter((stream) => stream.isReady && (putOff.get(stream) ?? 0) <= startedMs);
    const { now } = await readHorizon();
    let hasMore = false;
    for (const group of groupAlike(ready)) hasMore = (await serve(group, now)) || hasMore;
    return hasMore;
  }

  async function poll(): Promise<void> {
    let markedMs = performance.now();
    while (streams.size > 0 && !stopped) {
      let delayMs = pollMs;
      try {
        if (await takeTurn()) delayMs = 0;
      } catch (err) {
        logger.warn({ err }, "the live tail could not be read; trying again");
        delayMs = retryMs;
      }
      if (performance.now() - markedMs >= markMs) {
        markedMs = performance.now();
        for (const stream of streams) stream.mark();
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, delayMs);
      });
    }
    polling = null;
  }

  return {
    async open({ projectId, lastEventId, filter, preview }) {
      if (stopped) throw new AppError("store_unavailable", "The service is stopping; retry.");
      const stream = createTraceStream({
        projectId,
        wishes: { filter, preview },
        idOf: (position) => eventIds.format(projectId, { position, atMs: clock.now() }),
      });
      streams.add(stream);
      stream.readable.once("close", () => streams.delete(stream));
      try {
        const { now, state } = await readHorizon();
        const last = lastEventId === null ? null : eventIds.parse(projectId, lastEventId);
        const isKnown =
          last !== null && clock.now() - last.atMs <= limits.streamResumeMaxMs && last.position.xid <= state.nextXid;
        if (isKnown) stream.begin(last.position, { isReset: false, state: null });
        else stream.begin(now, { isReset: lastEventId !== null, state });
      } catch (thrown) {
        stream.readable.destroy();
        throw thrown;
      }
      polling ??= poll();
      return stream.readable;
    },
    async stop() {
      stopped = true;
      for (const stream of streams) stream.end();
      wake();
      await polling;
    },
  };
}

/** Streams at the same position, and alike in what `of` names. */
function groupAlike(
  streams: readonly TraceStream[],
  of: (stream: TraceStream) => string = () => "",
): Iterable<TraceStream[]> {
  return Map.groupBy(streams, (stream) => `${stream.position.xid} ${stream.position.seq} ${of(stream)}`).values();
}

/** True if a filter needs more than the columns of the root that was read. */
function isNarrow({ framework: _framework, source: _source, ...others }: RootFilter): boolean {
  return Object.values(others).some((value) => value !== null);
}
