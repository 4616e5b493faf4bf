import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import type { ProcessExit, ServerProcess } from "./server-process.ts";

/** An unrequested change of a running server. */
export type ServerEvent =
  | { kind: "died"; error: EmbeddedServerError; restartInMs: number }
  | { kind: "restart_failed"; error: EmbeddedServerError; restartInMs: number }
  | { kind: "restarted"; pid: number; downMs: number };

export interface SupervisedServer {
  /** The id of the current process, or of the last one. */
  readonly pid: number;
  /** Stops the server, or its next start. May be called any number of times. */
  stop(): Promise<void>;
}

export interface SupervisionLimits {
  firstDelayMs: number;
  delayMaxMs: number;
  /** After running this long a server counts as healthy again: the next delay is the first one. */
  stableAfterMs: number;
}

/** A try takes some tens of milliseconds of one processor; each second of waiting is a second without the server. */
const defaultSupervisionLimits: SupervisionLimits = { firstDelayMs: 100, delayMaxMs: 5_000, stableAfterMs: 60_000 };

/**
 * Keeps a started server running: when it dies it is restarted with the same settings, on the same port, until that
 * succeeds. The delay doubles, and each is random within its second half, so that two servers that die together do not
 * restart together.
 */
export function superviseServer({
  name,
  first,
  launch,
  stopProcess,
  explainEnd,
  onEvent,
  limits = defaultSupervisionLimits,
}: {
  /** For messages: "PostgreSQL". */
  name: string;
  first: ServerProcess;
  /** Starts it again; returns early, ready or not, when the signal is aborted. */
  launch: (abort: AbortSignal) => Promise<ServerProcess>;
  stopProcess: (server: ServerProcess) => Promise<void>;
  explainEnd: (exit: ProcessExit) => Promise<EmbeddedServerError>;
  /** Must not throw. */
  onEvent: (event: ServerEvent) => void;
  limits?: SupervisionLimits | undefined;
}): SupervisedServer {
  let current = first;
  let delayMs = limits.firstDelayMs;
  const stopping = new AbortController();

  const nextDelayMs = (): number => {
    const wholeMs = delayMs;
    delayMs = Math.min(limits.delayMaxMs, wholeMs * 2);
    return (wholeMs * (1 + Math.random())) / 2;
  };

  const keepRunning = async (): Promise<void> => {
    for (;;) {
      const startedAt = performance.now();
      const exit = await current.exited;
      if (stopping.signal.aborted) return;
      const downSince = performance.now();
      if (downSince - startedAt >= limits.stableAfterMs) delayMs = limits.firstDelayMs;
      const restartInMs = nextDelayMs();
      onEvent({ kind: "died", error: await explainEnd(exit), restartInMs });
      const next = await startAgain(restartInMs);
      if (next === null) return;
      current = next;
      onEvent({ kind: "restarted", pid: current.pid, downMs: Math.round(performance.now() - downSince) });
    }
  };

  /** Null when it was asked to stop meanwhile. */
  const startAgain = async (firstInMs: number): Promise<ServerProcess | null> => {
    for (let inMs = firstInMs; ; ) {
      await sleep(inMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return null;
      try {
        const started = await launch(stopping.signal);
        if (!stopping.signal.aborted) return started;
        await stopProcess(started);
        return null;
      } catch (error) {
        inMs = nextDelayMs();
        onEvent({ kind: "restart_failed", error: asServerError(error, name), restartInMs: inMs });
      }
    }
  };

  const running = keepRunning();
  return {
    get pid() {
      return current.pid;
    },
    async stop() {
      stopping.abort();
      await stopProcess(current);
      await running;
    },
  };
}

function asServerError(error: unknown, name: string): EmbeddedServerError {
  if (error instanceof EmbeddedServerError) return error;
  return new EmbeddedServerError("server_failed", `${name} could not be started again.`, {
    hint: "The cause of this error says more.",
    cause: error,
  });
}
