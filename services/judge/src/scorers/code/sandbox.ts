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

/** Where code of users runs. */
export interface Sandbox {
  /**
   * Evaluates a program (`[code, scope]` as JSON text) when there is a place; projects are served in turn. Always
   * resolves: a sandbox that cannot work is an outcome, too.
   */
  evaluate(program: string, request: PlaceRequest): Promise<SandboxOutcome | { kind: SandboxRefusal }>;
  /** Ends all processes; evaluations under way come out as crashed. */
  stop(): void;
}

/** `unavailable`: no process can be started. `busy`: too many are waiting. `out_of_time`: the request's signal aborted. */
export type SandboxRefusal = "unavailable" | "busy" | "out_of_time";

export interface SandboxOptions extends EvaluationLimits {
  /** Processes at once, each evaluating one program at a time. */
  processesMax: number;
  /** Programs that may wait for a place; beyond, they are turned away. */
  waitingMax: number;
  killGraceMs: number;
  evaluationsPerProcess: number;
  /** An idle process is ended after this long. */
  idleMs: number;
  /** After a failed start nobody tries again for this long. */
  startPauseMs: number;
  logger: Logger;
  /** Replaces how a process is started, for tests. */
  startProcess?: (options: SandboxProcessOptions) => Promise<SandboxProcess>;
}

/** What the judge runs with (completions 6.1): 3 s, 64 MB. */
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
 * A small pool of sandbox processes. They are started when there is something to evaluate and ended when there has been
 * nothing for a while, so an installation without code scorers has none. A process that was killed is replaced by the
 * next evaluation that needs one.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const places = createFairLimit({ places: options.processesMax, waitingMax: options.waitingMax });
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
      if (!dropUser) throw err;
      // Root may not become anybody else in some containers.
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
      throw err;
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

  async function evaluateInPlace(program: string, signal: AbortSignal): Promise<SandboxOutcome> {
    const process = await takeProcess();
    try {
      return await process.evaluate(program, signal);
    } finally {
      putBack(process);
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
