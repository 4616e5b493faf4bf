import type { Logger } from "@touchstone/service-kit";
import type { ProjectDeletionStore } from "./project-deletion-store.ts";

/** Announces unfinished deletions. */
export interface DeletionAnnouncer {
  stop(): Promise<void>;
}

const lookEveryMs = 15_000;
/** A service may have been down for days, and the event store may have dropped the event: it is sent again. */
const announceEveryMs = 60_000;

/** Announces unfinished deletions again, each once a minute. Several replicas may do so. */
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
