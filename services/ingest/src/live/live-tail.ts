import type { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import { AppError, type Clock, type Logger } from "@touchstone/service-kit";
import type { ReadSpan } from "../spans/trace-store.ts";
import { createSeqFloors } from "./seq-floors.ts";
import { parseEventId, type TailPosition } from "./tail-position.ts";
import type { TailRow, TailState, TailStore } from "./tail-store.ts";
import { createTraceStream, type TraceFilter, type TraceStream } from "./trace-stream.ts";

/** Tells readers of traces as they are stored, on whatever replica (decisions: Streams). */
export interface LiveTail {
  /**
   * Begins a stream of server-sent events: every root of the project that is committed from now on, each once, in one
   * order for all readers. With the id of the last event a reader had it goes on right after that one; when that is over
   * an hour ago, or no id of ours, it begins with `reset`. Throws 429 when the project has too many streams here.
   */
  open(reader: { projectId: string; lastEventId: string | null; filter: TraceFilter }): Promise<Readable>;
  stop(): Promise<void>;
}

export interface LiveTailOptions {
  store: TailStore;
  /** Roots by id; those that are gone are missing. */
  readRoots(projectId: string, ids: readonly string[]): Promise<ReadSpan[]>;
  show(root: ReadSpan): Promise<Buffer>;
  clock: Clock;
  logger: Logger;
}

const pollMs = 200;
const retryMs = 2_000;
const markMs = 15_000;
/** Rows of the order that are read at once, and roots in full. */
const rowsMax = 500;
const rootsMax = 16;

/** One poll serves all streams of the process that were told the same, which is all but those that catch up. */
export function createLiveTail({ store, readRoots, show, clock, logger }: LiveTailOptions): LiveTail {
  const streams = new Set<TraceStream>();
  const floors = createSeqFloors();
  let polling: Promise<void> | null = null;
  let wake = (): void => {};
  let stopped = false;

  async function readHorizon(): Promise<{ now: TailPosition; state: TailState }> {
    const state = await store.readState();
    floors.learn(state);
    return { now: { xid: state.horizon, seq: 0n }, state };
  }

  /** The position moves with every row, so that a failure repeats nothing. */
  async function tell(rows: readonly TailRow[], group: readonly TraceStream[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rootsMax) {
      const slice = rows.slice(start, start + rootsMax);
      const roots = new Map<string, ReadSpan>();
      for (const [projectId, own] of Map.groupBy(slice, (row) => row.projectId)) {
        const ids = own.map(({ id }) => id);
        for (const root of await readRoots(projectId, ids)) roots.set(`${projectId} ${root.id}`, root);
      }
      for (const row of slice) {
        const root = roots.get(`${row.projectId} ${row.id}`);
        const readers = group.filter(
          (stream) =>
            root !== undefined && stream.projectId === row.projectId && !stream.preceded(row.xid) && stream.wants(root),
        );
        const item = root === undefined || readers.length === 0 ? null : await show(root);
        for (const stream of group) stream.position = { xid: row.xid, seq: row.seq };
        if (item !== null) for (const stream of readers) stream.tell(item);
      }
    }
  }

  /** Answers whether there is more to tell right away. */
  async function takeTurn(): Promise<boolean> {
    const ready = [...streams].filter((stream) => stream.isReady);
    const { now } = await readHorizon();
    let hasMore = false;
    for (const group of Map.groupBy(ready, ({ position }) => `${position.xid} ${position.seq}`).values()) {
      const after = (group[0] as TraceStream).position;
      if (after.xid >= now.xid) continue;
      const projectIds = [...new Set(group.map(({ projectId }) => projectId))];
      const seqFloor = floors.floorOf(after.xid);
      const rows = await store.readAfter({ projectIds, after, below: now.xid, seqFloor, limit: rowsMax });
      await tell(rows, group);
      if (rows.length === rowsMax) hasMore = true;
      else for (const stream of group) stream.reach(now);
    }
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

  function countOf(projectId: string): number {
    let count = 0;
    for (const stream of streams) if (stream.projectId === projectId) count += 1;
    return count;
  }

  return {
    async open({ projectId, lastEventId, filter }) {
      if (stopped) throw new AppError("store_unavailable", "The service is stopping; retry.");
      if (countOf(projectId) >= limits.streamsPerProjectMax) {
        throw new AppError(
          "rate_limited",
          `Too many open streams: a project may have ${limits.streamsPerProjectMax}.`,
          {
            retryAfterSeconds: 5,
          },
        );
      }
      const stream = createTraceStream({ projectId, filter, nowMs: () => clock.now() });
      streams.add(stream);
      stream.readable.once("close", () => streams.delete(stream));
      try {
        const { now, state } = await readHorizon();
        const last = lastEventId === null ? null : parseEventId(lastEventId);
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
