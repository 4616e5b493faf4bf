import { deadlines, type ServiceName } from "@touchstone/contracts";
import { createFairLimit, TooManyWaitingError } from "./fair-limit.ts";
import { tooMuchToSend } from "./no-room.ts";

/**
 * Large rows cost a processor, in PostgreSQL and then here: a dozen that are read at once hold up everything else for a
 * second. So a project reads two at a time, and the others have places left. Small reads take a millisecond or two: few at a
 * time are enough for them.
 */
const readsAtOnce = { places: 8, placesPerGroupMax: 2 };

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

export function createReadTurns(service: ServiceName): ReadTurns {
  const limit = createFairLimit({ ...readsAtOnce, waitingPerGroupMax: waitingMax });

  async function take(projectId: string): Promise<() => void> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMuchToSend(service)), deadlines.answerRoomMs);
    try {
      return await limit.take({ group: projectId, signal: waiting.signal });
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

/** For all answers of this process that are made while they are sent. They are few, and have begun: they wait without a deadline. */
const steps = createFairLimit(readsAtOnce);

/** Makes one step of such an answer when its turn comes. */
export function runStep<Result>(projectId: string, step: () => Promise<Result>): Promise<Result> {
  return steps.run({ group: projectId }, step);
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
