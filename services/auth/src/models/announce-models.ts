import type { Logger } from "@touchstone/service-kit";
import type { ModelStore } from "./model-store.ts";

/** Announces catalogues to their readers. */
export interface ModelAnnouncer {
  stop(): Promise<void>;
}

const announceEveryMs = 24 * 60 * 60 * 1000;

/** Announces every catalogue now and once a day: the event store may have lost an event, or a reader its copy. */
export function announceModels({
  models,
  logger,
}: {
  models: Pick<ModelStore, "announceAll">;
  logger: Logger;
}): ModelAnnouncer {
  let announcing: Promise<void> | null = null;
  const announce = (): void => {
    announcing ??= models
      .announceAll()
      .catch((err) => logger.warn({ err }, "the models could not be announced; trying again tomorrow"))
      .finally(() => {
        announcing = null;
      });
  };
  announce();
  const timer = setInterval(announce, announceEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await announcing;
    },
  };
}
