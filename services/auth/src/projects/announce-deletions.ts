import type { Logger } from "@touchstone/service-kit";
import type { ProjectDeletionStore } from "./project-deletion-store.ts";

/** Looks after deletions that are not done. */
export interface DeletionAnnouncer {
  stop(): Promise<void>;
}

const lookEveryMs = 15_000;
/** A service may have been away for days, and the event store may have dropped the event: it is told again. */
const announceEveryMs = 60_000;

/** Starts announcing unfinished deletions again, once a minute each. Several replicas may. */
export function announceUnfinishedDeletions(options: {
  projectDeletions: Pick<ProjectDeletionStore, "announceUnfinished">;
  /** An event was committed. */
  onAnnounced: () => void;
  logger: Logger;
}): DeletionAnnouncer {
  const { projectDeletions, onAnnounced, logger } = options;
  let looking: Promise<void> | null = null;
  async function look(): Promise<void> {
    const announced = await projectDeletions.announceUnfinished(announceEveryMs);
    if (announced > 0) onAnnounced();
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch((err) => logger.warn({ err }, "unfinished deletions could not be announced; trying again"))
      .finally(() => {
        looking = null;
      });
  }, lookEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
