import { setTimeout as sleep } from "node:timers/promises";
import type { SchemaPreparation } from "@touchstone/db";
import { isAppError, type Logger } from "@touchstone/service-kit";
import type { ProjectStore } from "./project-store.ts";

const delayFirstMs = 200;
const delayMaxMs = 5_000;

export interface DefaultProjectOptions {
  /** The prerequisite. */
  schema: SchemaPreparation;
  projects: ProjectStore;
  /** False in multi-tenant mode, where each organization has its own project. */
  isWanted: boolean;
  logger: Logger;
}

/**
 * Creates the default project once the schema is ready, unless the stored keys cannot be read: an installation started
 * with another root secret must report it, instead of treating every key as unknown. Retries, since failures may be
 * temporary.
 */
export function prepareDefaultProject({
  schema,
  projects,
  isWanted,
  logger,
}: DefaultProjectOptions): SchemaPreparation {
  let state = "waiting for the schema";
  const stopping = new AbortController();
  async function prepare(): Promise<void> {
    await schema.done;
    for (let delayMs = delayFirstMs; !stopping.signal.aborted; delayMs = Math.min(delayMs * 2, delayMaxMs)) {
      try {
        // Before the default project: its key would be sealed under the other secret.
        await projects.requireReadableKeys();
        if (isWanted) await projects.ensureDefaultProject();
        await projects.findDefaultProject();
        state = "ok";
        return;
      } catch (err) {
        state = isAppError(err) ? err.message : "the stored keys cannot be read with this SERVICE_INTERNAL_SECRET";
        logger.warn({ err, state }, "the default project is not ready; trying again");
        await sleep(delayMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  }
  return { done: prepare(), state: () => state, stop: () => stopping.abort() };
}
