import type { Readable } from "node:stream";
import { limits } from "@touchstone/contracts";
import { AppError, type Clock, type Logger } from "@touchstone/service-kit";
import type { EventIds } from "./event-ids.ts";
import type { RootSource } from "./send-rows.ts";
import { createSeqFloors } from "./seq-floors.ts";
import { createStreamTurns, horizonOf, retryMs } from "./stream-turns.ts";
import type { TailStore } from "./tail-store.ts";
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

export interface LiveTailOptions extends RootSource {
  store: TailStore;
  eventIds: EventIds;
  clock: Clock;
  logger: Logger;
}

const pollMs = 200;
const markMs = 15_000;

/** One poll serves all streams of the process. */
export function createLiveTail({ store, traces, show, eventIds, clock, logger }: LiveTailOptions): LiveTail {
  const streams = new Set<TraceStream>();
  const floors = createSeqFloors(store);
  const end = (stream: TraceStream): void => {
    if (streams.delete(stream)) stream.end();
  };
  const turns = createStreamTurns({ store, floors, traces, show, end, logger });
  let polling: Promise<void> | null = null;
  let wake = (): void => {};
  let stopped = false;

  async function poll(): Promise<void> {
    let markedMs = performance.now();
    while (streams.size > 0 && !stopped) {
      let delayMs = pollMs;
      try {
        if (await turns.take(streams)) delayMs = 0;
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
        const state = await floors.readState();
        const last = lastEventId === null ? null : eventIds.parse(projectId, lastEventId);
        const isKnown =
          last !== null && clock.now() - last.atMs <= limits.streamResumeMaxMs && last.position.xid <= state.nextXid;
        if (isKnown) stream.begin(last.position, { isReset: false, state: null });
        else stream.begin(horizonOf(state), { isReset: lastEventId !== null, state });
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
