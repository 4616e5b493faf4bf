import { Readable } from "node:stream";
import { limits, type runProgress } from "@touchstone/contracts";
import { AppError, isProjectDeleted, type Logger } from "@touchstone/service-kit";
import type { z } from "zod";
import type { RunProgress } from "../results/result-store.ts";
import { computeLiveStatistics, countResults } from "../statistics/result-tally.ts";

/** The state of a run as a stream event. */
export type RunProgressEvent = z.input<typeof runProgress>;

/** Streams the progress of runs as server-sent events (completions 1.8). */
export interface RunStreams {
  /**
   * Begins a stream with the run's state, sends it again whenever it has changed, and ends with `end` when the run has ended.
   * Each event is the complete state: a reader that reconnects has missed nothing.
   */
  open(projectId: string, runId: string): Readable;
  stop(): Promise<void>;
}

export interface RunStreamsOptions {
  /** Null when the run is gone. */
  readProgress(projectId: string, runId: string): Promise<RunProgressEvent | null>;
  logger: Logger;
  pollMs?: number;
}

interface RunStream {
  projectId: string;
  runId: string;
  readable: Readable;
  /** The last state sent; null = none yet. */
  told: string | null;
  events: number;
}

const defaultPollMs = 500;
const retryMs = 2_000;
const markMs = 15_000;

/** One poll serves all streams of a run. */
export function createRunStreams({ readProgress, logger, pollMs = defaultPollMs }: RunStreamsOptions): RunStreams {
  const streams = new Set<RunStream>();
  let polling: Promise<void> | null = null;
  let wake = (): void => {};
  let isStopped = false;

  function tell(stream: RunStream, state: RunProgressEvent): void {
    const data = JSON.stringify(state);
    const isOver = state.status !== "in_progress";
    if (data === stream.told && !isOver) return;
    stream.told = data;
    stream.events += 1;
    stream.readable.push(`id: ${stream.events}\nevent: ${isOver ? "end" : "progress"}\ndata: ${data}\n\n`);
    if (isOver) stream.readable.push(null);
    // A reader this slow is disconnected.
    else if (stream.readable.readableLength > limits.streamBacklogMaxBytes) stream.readable.destroy();
  }

  async function takeTurn(): Promise<void> {
    const runs = Map.groupBy(streams, ({ projectId, runId }) => `${projectId} ${runId}`);
    for (const followers of runs.values()) {
      const [{ projectId, runId }] = followers as [RunStream];
      const state = await readProgress(projectId, runId).catch((thrown) => {
        if (isProjectDeleted(thrown)) return null;
        // Last in the next turn: a run that cannot be read does not hold up the others.
        for (const stream of followers) if (streams.delete(stream)) streams.add(stream);
        throw thrown;
      });
      // All streams ended meanwhile, and accept no more events.
      if (isStopped) return;
      for (const stream of followers) {
        if (stream.readable.destroyed || stream.readable.readableEnded) streams.delete(stream);
        else if (state === null) stream.readable.push(null);
        else tell(stream, state);
      }
      if (state === null || state.status !== "in_progress") for (const stream of followers) streams.delete(stream);
    }
  }

  async function poll(): Promise<void> {
    let markedMs = performance.now();
    while (streams.size > 0 && !isStopped) {
      let delayMs = pollMs;
      try {
        await takeTurn();
      } catch (err) {
        logger.warn({ err }, "the progress of runs could not be read; trying again");
        delayMs = retryMs;
      }
      if (!isStopped && performance.now() - markedMs >= markMs) {
        markedMs = performance.now();
        for (const { readable } of streams) readable.push(": \n\n");
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    polling = null;
  }

  return {
    open(projectId, runId) {
      if (isStopped) throw new AppError("store_unavailable", "The service is stopping; retry.");
      const readable = new Readable({ read: () => undefined });
      const stream: RunStream = { projectId, runId, readable, told: null, events: 0 };
      readable.push("retry: 2000\n\n");
      readable.once("close", () => streams.delete(stream));
      streams.add(stream);
      wake();
      polling ??= poll();
      return readable;
    },
    async stop() {
      isStopped = true;
      for (const { readable } of streams) readable.push(null);
      wake();
      await polling;
    },
  };
}

/** A run's state as its stream sends it. */
export function showProgress(runId: string, { status, tallies }: RunProgress): RunProgressEvent {
  const liveStatistics = computeLiveStatistics(tallies);
  return {
    runId,
    status,
    resultCount: countResults(tallies),
    averageRating: liveStatistics.averageRating,
    liveStatistics,
  };
}
