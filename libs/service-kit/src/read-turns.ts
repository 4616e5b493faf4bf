import { availableParallelism } from "node:os";
import { deadlines, type ServiceName } from "@touchstone/contracts";
import { createFairLimit, type FairLimit, TooManyWaitingError } from "./fair-limit.ts";
import { tooMuchToSend } from "./no-room.ts";

/**
 * Large rows cost a processor, in PostgreSQL and then here: a dozen that are read at once hold up everything else for a
 * second. So a project reads one or two at a time, fewer than there are processors, and the others have places left. Small
 * reads take a millisecond or two: few at a time are enough for them.
 */
export function shareOfReads(processors: number): { places: number; placesPerGroupMax: number } {
  return { places: 8, placesPerGroupMax: processors > 2 ? 2 : 1 };
}

/** Of this process: lists, and steps of answers that are made while they are sent. */
const readsOfProcess = createFairLimit(shareOfReads(availableParallelism()));

/** Turns at reading pages that may be large. */
export interface ReadTurns {
  open(projectId: string): ReadTurn;
  /** Reads in a turn. Throws as {@link ReadTurn.begin} does. */
  run<Result>(projectId: string, read: () => Promise<Result>): Promise<Result>;
}

/** One turn, which must be ended. */
export interface ReadTurn {
  /**
   * Waits for the turn, unless it has begun. Throws `service_unavailable` when it does not come in time, or too many reads of
   * the project wait.
   */
  begin(): Promise<void>;
  end(): void;
}

/** Reads of one project that may wait. */
const waitingMax = 64;

/** Turns for the lists of a service. They count together with all other reads of this process. */
export function createReadTurns(service: ServiceName, limit: FairLimit = readsOfProcess): ReadTurns {
  async function take(projectId: string): Promise<() => void> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMuchToSend(service)), deadlines.answerRoomMs);
    try {
      return await limit.take({ group: projectId, signal: waiting.signal, waitingMax });
    } catch (thrown) {
      throw thrown instanceof TooManyWaitingError ? tooMuchToSend(service) : thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  function open(projectId: string): ReadTurn {
    let taken: Promise<() => void> | null = null;
    return {
      async begin() {
        taken ??= take(projectId);
        await taken;
      },
      end() {
        taken?.then(
          (end) => end(),
          () => undefined,
        );
      },
    };
  }

  return {
    open,
    async run(projectId, read) {
      const turn = open(projectId);
      await turn.begin();
      try {
        return await read();
      } finally {
        turn.end();
      }
    },
  };
}

/**
 * Makes one step of an answer that is made while it is sent, when its turn comes. Such answers are few, and have begun: they
 * wait without a deadline.
 */
export function runStep<Result>(projectId: string, step: () => Promise<Result>): Promise<Result> {
  return readsOfProcess.run({ group: projectId }, step);
}

/**
 * Makes each step of an answer in a separate turn, for answers that are sent as they are made. A slow reader holds no turn. The
 * answers of a project alternate, and so do projects.
 */
export async function* takeTurns<Step>(projectId: string, answer: AsyncGenerator<Step>): AsyncGenerator<Step> {
  try {
    for (;;) {
      const { done, value } = await runStep(projectId, () => answer.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await answer.return(undefined);
  }
}
