import { findMissingMigrations, type MigrationOptions, migrateSchema } from "./schema-migrations.ts";

/** A running migration, or the wait for one. */
export interface SchemaPreparation {
  /** Resolves when the schema is at its newest version; never rejects. */
  done: Promise<void>;
  /** `ok`, or why the schema is not ready yet. */
  state(): string;
  /** Gives up waiting. */
  stop(): void;
}

/** The preparation of the schema itself. */
export interface SchemaMigration extends SchemaPreparation {
  /** True if the schema is known to lack migrations that it waits for. */
  isBehind(): boolean;
}

interface PreparationOptions extends MigrationOptions {
  /** Null: migrate. Else the command that migrates, shown as long as the schema lacks migrations. */
  migratedBy: string | null;
}

const delayFirstMs = 200;
const delayMaxMs = 5_000;

/**
 * Migrates a schema in the background, or waits until it is migrated, and retries while PostgreSQL is unavailable, so
 * that a service started before its database runs and answers 503 instead of exiting. A migration that fails for another
 * reason is retried as well: the next deployment may fix it, and the state shows the error meanwhile.
 */
export function prepareSchema({ migratedBy, ...options }: PreparationOptions): SchemaMigration {
  let state = migratedBy === null ? "migrating" : "checking";
  let behind = false;
  let stopped = false;
  let wake = (): void => {};
  const prepare = async (): Promise<void> => {
    if (migratedBy === null) return void (await migrateSchema(options));
    const missing = await findMissingMigrations(options);
    behind = missing.length > 0;
    if (behind) {
      throw new Error(
        `Schema ${options.schema} lacks ${missing.join(", ")}, and SERVICE_MIGRATE is off. Run \`${migratedBy}\`.`,
      );
    }
  };
  const attempt = async (): Promise<void> => {
    for (let delayMs = delayFirstMs; !stopped; delayMs = Math.min(delayMs * 2, delayMaxMs)) {
      try {
        await prepare();
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
    isBehind: () => behind,
    stop() {
      stopped = true;
      wake();
    },
  };
}
