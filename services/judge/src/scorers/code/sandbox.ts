import { createFairLimit, type Logger, type PlaceRequest, TooManyWaitingError } from "@touchstone/service-kit";
import type { EvaluationLimits } from "./child/protocol.ts";
import {
  type SandboxOutcome,
  type SandboxProcess,
  type SandboxProcessOptions,
  SandboxStartError,
  startSandboxProcess,
} from "./sandbox-process.ts";
import { canDropUser } from "./start-confined.ts";

/** Runs users' code. */
export interface Sandbox {
  /**
   * Evaluates a program (`[code, scope]` as JSON text) when a process is free; projects are served in turn. Always resolves: an
   * unavailable sandbox is an outcome, too.
   */
  evaluate(program: string, request: PlaceRequest): Promise<SandboxOutcome | { kind: SandboxRefusal }>;
  /** Ends all processes; evaluations in progress resolve as crashed. */
  stop(): void;
}

/** `unavailable`: no process can be started. `busy`: too many are waiting. `out_of_time`: the request's signal aborted. */
export type SandboxRefusal = "unavailable" | "busy" | "out_of_time";

export interface SandboxOptions extends EvaluationLimits {
  /** Concurrent processes, each evaluating one program at a time. Of two or more, one project never gets all. */
  processesMax: number;
  /** The longest queue of programs; further ones are refused. */
  waitingMax: number;
  killGraceMs: number;
  evaluationsPerProcess: number;
  /** An idle process is ended after this long. */
  idleMs: number;
  /** The pause after a failed start before the next one. */
  startPauseMs: number;
  logger: Logger;
  /** Replaces the start of a process, for tests. */
  startProcess?: (options: SandboxProcessOptions) => Promise<SandboxProcess>;
}

/** The judge's settings (completions 6.1): 3 s, 64 MB. */
export const sandboxDefaults = {
  timeoutMs: 3_000,
  memoryBytes: 64 * 1024 * 1024,
  waitingMax: 1_024,
  killGraceMs: 500,
  evaluationsPerProcess: 200,
  idleMs: 60_000,
  startPauseMs: 10_000,
} as const;

interface IdleProcess {
  process: SandboxProcess;
  retirement: NodeJS.Timeout;
}

/**
 * A small pool of sandbox processes. They are started on demand and ended when idle, so an installation without code scorers
 * has none. A process that was killed is replaced by the next evaluation that needs one.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { processesMax, waitingMax } = options;
  const placesPerGroupMax = Math.max(1, processesMax - 1);
  const places = createFairLimit({ places: processesMax, waitingMax, placesPerGroupMax });
  const startProcess = options.startProcess ?? startSandboxProcess;
  const living = new Set<SandboxProcess>();
  const idle: IdleProcess[] = [];
  let dropUser = canDropUser();
  let pausedUntilMs = 0;
  let isFailing = false;
  let isStopped = false;

  async function startOne(): Promise<SandboxProcess> {
    const { timeoutMs, memoryBytes, killGraceMs, evaluationsPerProcess: evaluationsMax } = options;
    const start = (dropped: boolean): Promise<SandboxProcess> =>
      startProcess({ timeoutMs, memoryBytes, killGraceMs, evaluationsMax, dropUser: dropped });
    try {
      return await start(dropUser);
    } catch (err) {
      // In some containers root may not switch to another user. Any other failure passes or stays.
      if (!dropUser || !/EPERM|EACCES|EINVAL/.test(String(err))) throw err;
      const process = await start(false);
      dropUser = false;
      options.logger.warn({ err }, "code scorers run as root: their process may not become another user here");
      return process;
    }
  }

  async function takeProcess(): Promise<SandboxProcess> {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      clearTimeout(last.retirement);
      if (last.process.isFit()) return last.process;
      end(last.process);
    }
    if (performance.now() < pausedUntilMs) throw new SandboxStartError("It could not be started a moment ago.");
    try {
      const process = await startOne();
      isFailing = false;
      living.add(process);
      if (!isStopped) return process;
      end(process);
    } catch (err) {
      pausedUntilMs = performance.now() + options.startPauseMs;
      if (!isFailing) options.logger.error({ err }, "code scorers cannot run: their process does not start");
      isFailing = true;
      throw err instanceof SandboxStartError ? err : new SandboxStartError(String(err), { cause: err });
    }
    throw new SandboxStartError("The judge is stopping.");
  }

  function putBack(process: SandboxProcess): void {
    if (isStopped || !process.isFit()) {
      end(process);
      return;
    }
    const entry: IdleProcess = {
      process,
      retirement: setTimeout(() => {
        idle.splice(idle.indexOf(entry), 1);
        end(process);
      }, options.idleMs).unref(),
    };
    idle.push(entry);
  }

  function end(process: SandboxProcess): void {
    living.delete(process);
    process.kill();
  }

  /**
   * A process may end because of what it evaluated before: the memory of the last interpreter is not free yet, and there is none
   * for the next. So a program has broken its process only if that was new.
   */
  async function evaluateInPlace(program: string, signal: AbortSignal): Promise<SandboxOutcome> {
    for (;;) {
      const process = await takeProcess();
      const isNew = process.isNew();
      let isBroken = false;
      try {
        const outcome = await process.evaluate(program, signal);
        isBroken = outcome.kind === "crashed";
        if (!isBroken || isNew || isStopped) return outcome;
      } finally {
        if (isBroken) end(process);
        else putBack(process);
      }
    }
  }

  return {
    async evaluate(program, request) {
      try {
        return await places.run(request, () => evaluateInPlace(program, request.signal));
      } catch (err) {
        if (request.signal.aborted) return { kind: "out_of_time" };
        if (err instanceof TooManyWaitingError) return { kind: "busy" };
        if (err instanceof SandboxStartError) return { kind: "unavailable" };
        throw err;
      }
    },
    stop() {
      isStopped = true;
      for (const { retirement } of idle.splice(0)) clearTimeout(retirement);
      for (const process of living) end(process);
    },
  };
}
