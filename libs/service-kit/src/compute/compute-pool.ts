import type { TransferListItem } from "node:worker_threads";
import type { Piscina } from "piscina";
import { createFairLimit, TooManyWaitingError } from "../fair-limit.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../metrics.ts";
import { ComputeError } from "./compute-error.ts";
import { type ComputeOutcome, watchCompute } from "./compute-metrics.ts";
import type { ComputeTask } from "./compute-task.ts";
import type { ComputeCall, compute } from "./compute-thread.ts";

export interface ComputeRequest {
  /** How long the function may run once a thread calls it. Waiting for a thread and starting one do not count. */
  deadlineMs: number;
  /** The owner of the data: projects take turns. */
  projectId: string;
  /** Rejects with its reason when it aborts, while waiting or running. */
  signal?: AbortSignal | undefined;
  /** Buffers of the input that are transferred instead of copied; the caller cannot use them afterwards. */
  transfer?: readonly TransferListItem[];
}

/**
 * Threads that compute over users' data. Code whose run time depends on a user's text does not run on the event loop,
 * which all services of a standalone share: it runs here, and its thread is ended when it takes too long.
 */
export interface ComputePool {
  /**
   * Calls the task's function in a thread. Rejects with {@link ComputeError} when the function did not end by its
   * deadline, needed too much memory, or was not started; with a copy of the error when it threw.
   */
  run<Input, Output>(task: ComputeTask<Input, Output>, input: Input, request: ComputeRequest): Promise<Output>;
  /** Ends all threads; waiting and running computations are rejected as `unavailable`. */
  stop(): Promise<void>;
}

export interface ComputePoolOptions {
  /** In metrics and log lines. */
  name: string;
  logger: Logger;
  metrics: Metrics;
  /** Concurrent threads. Of two or more, one project never gets all. */
  threadsMax: number;
  /** Computations that may wait. One project may take three quarters of this. */
  queueMax: number;
  /** A thread that needs more is ended, and its computation with it. */
  memoryMaxMb?: number;
  /** A thread that was idle for this long is ended. */
  idleMs?: number;
}

const threadFile = new URL("./compute-thread.ts", import.meta.url).href;
/** A thread starts in a tenth of a second; one that has not by then never will. */
const startMaxMs = 30_000;

/** Starts no thread before the first computation. */
export function createComputePool(options: ComputePoolOptions): ComputePool {
  const { name, logger, metrics, threadsMax, queueMax, memoryMaxMb = 96, idleMs = 10_000 } = options;
  const places = createFairLimit({
    places: threadsMax,
    waitingMax: queueMax,
    placesPerGroupMax: Math.max(1, threadsMax - 1),
    waitingPerGroupMax: Math.ceil(queueMax * 0.75),
  });
  const { onEnded, onOccupied } = watchCompute(metrics, {
    name,
    waiting: () => places.waiting(),
    threads: () => threads?.threads.length ?? 0,
  });
  let threads: Piscina | null = null;
  const inHand = new Set<AbortController>();
  let isStopped = false;

  /** A service that never computes does not load the library, and pays no memory for it. */
  async function openThreads(): Promise<Piscina> {
    const { Piscina: Threads } = await import("piscina");
    if (isStopped) throw new ComputeError("unavailable", "the pool was stopped");
    threads ??= new Threads({
      filename: threadFile,
      name: "compute" satisfies (typeof compute)["name"],
      minThreads: 0,
      maxThreads: threadsMax,
      idleTimeout: idleMs,
      // Flags of the process, such as those of a debugger, are not passed to its threads.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMaxMb, maxYoungGenerationSizeMb: 16 },
      recordTiming: false,
    }).on("error", (err) => logger.warn({ err, pool: name }, "a computing thread failed"));
    return threads;
  }

  /** Occupies a thread until the function or the thread has ended. */
  async function occupy(call: ComputeCall, request: ComputeRequest, ending: AbortController): Promise<unknown> {
    const pool = threads ?? (await openThreads());
    const begunAt = performance.now();
    const stopWatching = watchDeadline(call, request.deadlineMs, ending);
    try {
      return await pool.run(call, {
        signal: ending.signal,
        ...(request.transfer && { transferList: [...request.transfer] }),
      });
    } finally {
      stopWatching();
      onOccupied(call.name, performance.now() - begunAt);
    }
  }

  async function attempt(call: ComputeCall, request: ComputeRequest, ending: AbortController): Promise<unknown> {
    try {
      return await places.run({ group: request.projectId, signal: ending.signal }, () => occupy(call, request, ending));
    } catch (thrown) {
      if (ending.signal.aborted) throw ending.signal.reason;
      throw translate(thrown, call.name);
    }
  }

  return {
    async run<Input, Output>(task: ComputeTask<Input, Output>, input: Input, request: ComputeRequest): Promise<Output> {
      request.signal?.throwIfAborted();
      if (isStopped) throw new ComputeError("unavailable", "the pool was stopped");
      const ending = new AbortController();
      const abort = (): void => ending.abort(request.signal?.reason);
      request.signal?.addEventListener("abort", abort, { once: true });
      inHand.add(ending);
      const calledAt = new BigInt64Array(new SharedArrayBuffer(8));
      let outcome: ComputeOutcome = "ok";
      try {
        return (await attempt({ module: task.module, name: task.name, input, calledAt }, request, ending)) as Output;
      } catch (thrown) {
        outcome = outcomeOf(thrown, request.signal);
        if (outcome === "timeout" || outcome === "memory") {
          const facts = { pool: name, task: task.name, projectId: request.projectId };
          logger.warn({ ...facts, outcome, deadlineMs: request.deadlineMs }, "a computation was ended");
        }
        throw thrown;
      } finally {
        onEnded(task.name, outcome);
        inHand.delete(ending);
        request.signal?.removeEventListener("abort", abort);
      }
    },

    async stop() {
      isStopped = true;
      for (const ending of inHand) ending.abort(new ComputeError("unavailable", "the pool was stopped"));
      await threads?.destroy();
    },
  };
}

/**
 * Aborts the computation when it has run for too long, or no thread has started it. Returns the function that stops
 * this.
 */
function watchDeadline({ name, calledAt }: ComputeCall, deadlineMs: number, ending: AbortController): () => void {
  const handedOverAt = process.hrtime.bigint();
  let timer = setTimeout(look, deadlineMs);
  let isOver = false;

  function look(): void {
    const called = Atomics.load(calledAt, 0);
    const since = called === 0n ? handedOverAt : called;
    const leftMs = (called === 0n ? startMaxMs : deadlineMs) - Number(process.hrtime.bigint() - since) / 1e6;
    // A result may have arrived while the event loop was busy: it is read before this.
    if (leftMs <= 0) setImmediate(expire, called === 0n);
    else timer = setTimeout(look, Math.min(leftMs + 1, deadlineMs));
  }

  function expire(neverCalled: boolean): void {
    if (isOver) return;
    ending.abort(
      neverCalled
        ? new ComputeError("unavailable", `no thread began ${name} within ${startMaxMs} ms`)
        : new ComputeError("timeout", `${name} took more than ${deadlineMs} ms`),
    );
  }

  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function translate(thrown: unknown, name: string): unknown {
  if (thrown instanceof TooManyWaitingError) {
    return new ComputeError("busy", `too many computations are waiting for ${name}`, { cause: thrown });
  }
  if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new ComputeError("memory", `${name} needed too much memory`, { cause: thrown });
  }
  return thrown;
}

function outcomeOf(thrown: unknown, signal: AbortSignal | undefined): ComputeOutcome {
  if (thrown instanceof ComputeError) return thrown.kind;
  return signal?.aborted ? "aborted" : "failed";
}
