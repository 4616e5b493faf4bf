import { type Bus, reportAtOnce } from "@touchstone/bus";
import { keepLiveScorers } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import type { Logger } from "@touchstone/service-kit";
import { lockGradersOf } from "./live-scorer-store.ts";
import { announceLiveScorers } from "./live-scorers.ts";
import { fitsLiveSet, measureLiveSet } from "./live-set-reader.ts";

/**
 * Serializes changes of a project's grading configs and scorer groups: their rules depend on one another (one default, no judge
 * that requires an expected result in a live group, ids that resolve, content seeded once). Changes of live scorers are
 * announced in the same transaction, and monitor has them when this resolves; if monitor is unreachable, it receives them with
 * the event.
 */
export type LockGraders = <Result>(
  projectId: string,
  work: (transaction: Queryable) => Promise<Result>,
) => Promise<Result>;

export function createGraderLock(options: {
  /** Connects as the application role. */
  database: Database;
  bus: Pick<Bus, "request">;
  logger: Logger;
}): LockGraders {
  return async (projectId, work) => {
    const { result, announced } = await options.database.scoped([projectId], async (transaction) => {
      await lockGradersOf(transaction, projectId);
      const before = await measureLiveSet(transaction, projectId);
      const result = await work(transaction);
      const fits = await fitsLiveSet(transaction, projectId, before);
      return { result, announced: fits ? await announceLiveScorers(transaction, projectId) : null };
    });
    if (announced !== null) await reportAtOnce(options, keepLiveScorers, announced);
    return result;
  };
}
