import { deadlines, type ServiceName } from "@touchstone/contracts";
import { createFairLimit, TooManyWaitingError } from "./fair-limit.ts";
import { tooMuchToSend } from "./no-room.ts";

/** Turns at reading what may be large. */
export interface ReadTurns {
  /**
   * Reads when it is the project's turn. Throws `service_unavailable` when too many reads of the project wait, or the turn does
   * not come in time.
   */
  run<Result>(projectId: string, read: () => Promise<Result>): Promise<Result>;
}

/** Small reads take a millisecond or two, so few at a time are enough for them. */
const readsAtOnce = { places: 6, placesPerGroupMax: 2, waitingPerGroupMax: 64 };

/**
 * Large rows cost a processor, in PostgreSQL and then here: a dozen that are read at once hold up everything else for a
 * second. So a project reads two pages at a time, and the others have places left.
 */
export function createReadTurns(service: ServiceName): ReadTurns {
  const limit = createFairLimit(readsAtOnce);
  return {
    async run(group, read) {
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(tooMuchToSend(service)), deadlines.answerRoomMs);
      try {
        return await limit.run({ group, signal: waiting.signal }, () => {
          clearTimeout(timer);
          return read();
        });
      } catch (thrown) {
        throw thrown instanceof TooManyWaitingError ? tooMuchToSend(service) : thrown;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
