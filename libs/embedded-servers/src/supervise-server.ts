import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import type { ProcessExit, ServerProcess } from "./server-process.ts";

/** What happened to a running server without being asked for. */
export type ServerEvent =
  | { kind: "died"; exit: ProcessExit; restartInMs: number }
  | { kind: "restart_failed"; error: EmbeddedServerError; restartInMs: number }
  | { kind: "restarted"; pid: number; downMs: number }
  | { kind: "gave_up"; error: EmbeddedServerError };

/** How a server ended for good: asked to, or after too many failures in a row. */
export type ServerEnd = { kind: "stopped" } | { kind: "gave_up"; error: EmbeddedServerError };

export interface SupervisedServer {
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Settles once, when the server is gone for good; never rejects. */
  exited: Promise<ServerEnd>;
  /** Stops the server, or its next start. May be called any number of times. */
  stop(): Promise<void>;
}

export interface SupervisionLimits {
  firstDelayMs: number;
  delayMaxMs: number;
  /** Deaths in a row, each within `stableAfterMs` of its start, after which there is no other try. */
  quickFailuresMax: number;
  /** Running this long, a server counts as healthy again. */
  stableAfterMs: number;
}

/** About 20 seconds of trying. */
const defaultSupervisionLimits: SupervisionLimits = {
  firstDelayMs: 100,
  delayMaxMs: 5_000,
  quickFailuresMax: 8,
  stableAfterMs: 60_000,
};

/**
 * Keeps a started server running: when it dies it is started again the same way, on the same port, after a delay that
 * doubles. A full disk is waited for without end, because space comes back and nothing is lost until then.
 */
export function superviseServer({
  name,
  logFile,
  first,
  launch,
  stopProcess,
  onEvent,
  limits = defaultSupervisionLimits,
}: {
  /** For messages: "PostgreSQL". */
  name: string;
  logFile: string;
  first: ServerProcess;
  /** Starts it again; returns early, ready or not, when the signal says so. */
  launch: (abort: AbortSignal) => Promise<ServerProcess>;
  stopProcess: (server: ServerProcess) => Promise<void>;
  /** Must not throw. */
  onEvent: (event: ServerEvent) => void;
  limits?: SupervisionLimits | undefined;
}): SupervisedServer {
  let current = first;
  let failures = 0;
  let restartInMs = limits.firstDelayMs;
  const stopping = new AbortController();

  const nextDeath = async (): Promise<Failure> => {
    const startedAt = performance.now();
    const exit = await current.exited;
    if (performance.now() - startedAt >= limits.stableAfterMs) {
      failures = 0;
      restartInMs = limits.firstDelayMs;
    }
    return { exit, error: keepsDying({ name, exit, logFile }) };
  };

  const keepRunning = async (): Promise<ServerEnd> => {
    let failure = await nextDeath();
    let downSince = performance.now();
    for (;;) {
      if (stopping.signal.aborted) return { kind: "stopped" };
      const { exit, error } = failure;
      if (error.code !== "disk_full") failures += 1;
      if (failures > limits.quickFailuresMax) {
        onEvent({ kind: "gave_up", error });
        return { kind: "gave_up", error };
      }
      onEvent(exit === null ? { kind: "restart_failed", error, restartInMs } : { kind: "died", exit, restartInMs });
      await sleep(restartInMs, undefined, { signal: stopping.signal }).catch(() => {});
      restartInMs = Math.min(limits.delayMaxMs, restartInMs * 2);
      if (stopping.signal.aborted) return { kind: "stopped" };
      try {
        current = await launch(stopping.signal);
      } catch (launchError) {
        failure = { exit: null, error: asServerError(launchError, name) };
        continue;
      }
      if (stopping.signal.aborted) {
        await stopProcess(current);
        return { kind: "stopped" };
      }
      onEvent({ kind: "restarted", pid: current.pid, downMs: Math.round(performance.now() - downSince) });
      failure = await nextDeath();
      downSince = performance.now();
    }
  };

  const exited = keepRunning();
  return {
    get pid() {
      return current.pid;
    },
    exited,
    async stop() {
      stopping.abort();
      await stopProcess(current);
      await exited;
    },
  };
}

/** A death has an exit; a start that failed has none. */
interface Failure {
  exit: ProcessExit | null;
  error: EmbeddedServerError;
}

function keepsDying({
  name,
  exit,
  logFile,
}: {
  name: string;
  exit: ProcessExit;
  logFile: string;
}): EmbeddedServerError {
  const how = exit.signal ? `signal ${exit.signal}` : `code ${exit.code}`;
  return new EmbeddedServerError("server_failed", `${name} keeps dying (${how}).`, { hint: `${logFile} says why.` });
}

function asServerError(error: unknown, name: string): EmbeddedServerError {
  if (error instanceof EmbeddedServerError) return error;
  return new EmbeddedServerError("server_failed", `${name} could not be started again.`, {
    hint: "The cause of this error says more.",
    cause: error,
  });
}
