import { Worker } from "node:worker_threads";

/** The exit code of a process that its watchdog ended because its event loop was blocked. */
const stalledExitCode = 70;

const beatEveryMs = 250;

export interface WatchdogOptions {
  /** The service whose log has the last line; null for sentences on a terminal. */
  service: string | null;
  /** How long a stop may take, from the signal on. */
  stopWithinMs: number;
  /** How long the event loop may be blocked; null: no limit, unless the process is asked to stop. */
  stallAfterMs: number | null;
  /** Called when the watchdog cannot run; the process continues without it. */
  onFailure: (err: unknown) => void;
}

export interface Watchdog {
  /** A stop has begun, by a signal or not; it has `stopWithinMs` from now on. */
  noteStop(): void;
}

/**
 * Ends the process when its event loop cannot: at SIGTERM or SIGINT with code 1 when the stop is not complete in time,
 * and with code 70 when the loop was blocked for too long. Before that, it writes what blocks the loop to standard
 * error. Code that cannot be interrupted is killed (SIGKILL). The thread takes about 13 MB.
 */
export function startWatchdog({ onFailure, ...options }: WatchdogOptions): Watchdog {
  // The number of the loop's reports, and whether it is stopping.
  const shared = new Int32Array(new SharedArrayBuffer(8));
  try {
    const thread = new Worker(new URL("./watchdog-thread.mjs", import.meta.url), {
      workerData: { ...options, shared, stalledExitCode },
      // The options that the thread needs to receive signals, and none of the operator's options.
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
