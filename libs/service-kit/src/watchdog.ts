import { Worker } from "node:worker_threads";

/** How a process ends that its watchdog ended because its event loop was blocked. */
const stalledExitCode = 70;

const beatEveryMs = 250;

export interface WatchdogOptions {
  /** Whose log the last line belongs to; null for sentences on a terminal. */
  service: string | null;
  /** How long a stop may take, from the signal on. */
  stopWithinMs: number;
  /** How long the event loop may be blocked; null: for ever, while nothing asks the process to stop. */
  stallAfterMs: number | null;
  /** Called when there can be no watchdog; the process goes on without. */
  onFailure: (err: unknown) => void;
}

export interface Watchdog {
  /** A stop has begun, by a signal or not; it has `stopWithinMs` from now on. */
  noteStop(): void;
}

/**
 * Ends the process when its event loop cannot: at SIGTERM or SIGINT with code 1 when the stop is not through in time, and
 * with code 70 when the loop was blocked for too long. Before, what blocks the loop is written to standard error. Code
 * that cannot be interrupted is killed (SIGKILL). The thread that does this takes about 13 MB.
 */
export function startWatchdog({ onFailure, ...options }: WatchdogOptions): Watchdog {
  // How often the loop has shown that it lives, and whether it stops.
  const shared = new Int32Array(new SharedArrayBuffer(8));
  try {
    const thread = new Worker(new URL("./watchdog-thread.mjs", import.meta.url), {
      workerData: { ...options, shared, stalledExitCode },
      // What the thread needs to hear signals, and none of what the operator gave this process.
      execArgv: ["--expose-internals", "--no-warnings"],
      env: {},
    });
    thread.on("error", onFailure);
    thread.unref();
  } catch (err) {
    onFailure(err);
  }
  setInterval(() => Atomics.add(shared, 0, 1), beatEveryMs).unref();
  return {
    noteStop() {
      Atomics.store(shared, 1, 1);
    },
  };
}
