import { type MigrationOptions, migrateSchema } from "./schema-owner.ts";

/** A running migration. */
export interface SchemaPreparation {
  /** Resolves when the schema is at its newest version; never rejects. */
  done: Promise<void>;
  /** `ok`, or why the schema is not ready yet. */
  state(): string;
  /** Gives up waiting. */
  stop(): void;
}

const delayFirstMs = 200;
const delayMaxMs = 5_000;

/**
 * Migrates a schema in the background and retries while PostgreSQL is unavailable, so that a service started before its
 * database runs and answers 503 instead of exiting. A migration that fails for another reason is retried as well: the
 * next deployment may fix it, and the state shows the error meanwhile.
 */
export function prepareSchema(options: MigrationOptions): SchemaPreparation {
  let state = "migrating";
  let stopped = false;
  let wake = (): void => {};
  const attempt = async (): Promise<void> => {
    for (let delayMs = delayFirstMs; !stopped; delayMs = Math.min(delayMs * 2, delayMaxMs)) {
      try {
        await migrateSchema(options);
        state = "ok";
        return;
      } catch (err) {
        if (stopped) return;
        state = err instanceof Error ? err.message : "the migration failed";
        options.logger.warn({ err, schema: options.schema }, "the schema is not ready; trying again");
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, delayMs).unref();
        });
      }
    }
  };
  return {
    done: attempt(),
    state: () => state,
    stop() {
      stopped = true;
      wake();
    },
  };
}
