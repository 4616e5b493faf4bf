import { isAppError, type Logger } from "@touchstone/service-kit";
import { type RootSource, sendRows } from "./send-rows.ts";
import type { SeqFloors } from "./seq-floors.ts";
import type { TailPosition, TailState, TailStore } from "./tail-store.ts";
import type { TraceStream } from "./trace-stream.ts";

/** Sends streams what follows their positions. */
export interface StreamTurns {
  /** Serves the streams that are ready. Returns true if there is more to send right away. Rejects if no project can be read. */
  take(streams: Iterable<TraceStream>): Promise<boolean>;
}

export interface StreamTurnsOptions extends RootSource {
  store: Pick<TailStore, "readAfter">;
  floors: SeqFloors;
  /** Ends a stream whose project was deleted. */
  end(stream: TraceStream): void;
  logger: Logger;
}

/** After a failed read. */
export const retryMs = 2_000;
/** Rows of the order in one read. */
const rowsMax = 500;

/** One read serves all streams at the same position: all but those that catch up. */
export function createStreamTurns({ store, floors, end, logger, ...source }: StreamTurnsOptions): StreamTurns {
  /** Streams of projects that could not be read, with the time of the next attempt. */
  const putOff = new WeakMap<TraceStream, number>();

  /** Sends streams at one position what follows it. Returns true if there is more to send at once. */
  async function sendNext(group: readonly TraceStream[], now: TailPosition): Promise<boolean> {
    const after = (group[0] as TraceStream).position;
    if (after.xid >= now.xid) return false;
    const projectIds = [...new Set(group.map(({ projectId }) => projectId))];
    const seqFloor = floors.floorOf(after.xid);
    const rows = await store.readAfter({ projectIds, after, below: now.xid, seqFloor, limit: rowsMax });
    const receiving = await sendRows(source, rows, group);
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
      await floors.readState();
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
        else end(stream);
      }
      return false;
    }
  }

  return {
    async take(streams) {
      const startedMs = performance.now();
      const ready = [...streams].filter((stream) => stream.isReady && (putOff.get(stream) ?? 0) <= startedMs);
      const now = horizonOf(await floors.readState());
      let hasMore = false;
      for (const group of groupAlike(ready)) hasMore = (await serve(group, now)) || hasMore;
      return hasMore;
    },
  };
}

/** The position up to which the order is settled. */
export const horizonOf = ({ horizon }: TailState): TailPosition => ({ xid: horizon, seq: 0n });

/** Streams at the same position, and alike in what `of` names. */
function groupAlike(
  streams: readonly TraceStream[],
  of: (stream: TraceStream) => string = () => "",
): Iterable<TraceStream[]> {
  return Map.groupBy(streams, (stream) => `${stream.position.xid} ${stream.position.seq} ${of(stream)}`).values();
}
