import type { SettingName, SettingValues } from "@touchstone/contracts";
import { addPassword, type Environment, loadSettings, requireSettings } from "./config.ts";
import { type NatsConfig, natsSettings, readNatsConfig } from "./nats-config.ts";
import { type ProcessConfig, processSettings, readProcessConfig } from "./process-config.ts";

/** The configuration of every service with a schema. */
export interface StoreServiceConfig extends ProcessConfig {
  databaseUrl: string;
  /** False: the schema is migrated by a separate command. */
  migratesAtStart: boolean;
  rootSecret: string;
  nats: NatsConfig;
}

/** The settings that all of them read, besides the one of their database. */
const storeServiceSettings = [
  ...processSettings,
  "SERVICE_DB_URL",
  "SERVICE_DB_PASSWORD",
  "SERVICE_MIGRATE",
  ...natsSettings,
  "SERVICE_INTERNAL_SECRET",
] as const satisfies SettingName[];

export type DatabaseSetting = Extract<SettingName, `SERVICE_${string}_DB_URL`>;

/** Further settings of a service: each of the `needed` ones is required, though none has a default. */
interface OwnSettings<More extends SettingName, Needed extends SettingName> {
  database: DatabaseSetting;
  more?: readonly More[];
  needed?: readonly Needed[];
}

type Present<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined> };

/**
 * Reads these settings and the service's own. The service's own database takes precedence over the shared one. All
 * mistakes are reported together, by variable name.
 */
export function readStoreServiceConfig<More extends SettingName = never, Needed extends SettingName = never>(
  environment: Environment,
  { database, more = [], needed = [] }: OwnSettings<More, Needed>,
): { config: StoreServiceConfig; values: SettingValues<More> & Present<SettingValues<Needed>>; warnings: string[] } {
  const { values, warnings } = loadSettings([...storeServiceSettings, database, ...more, ...needed], environment);
  const shared = values as SettingValues<(typeof storeServiceSettings)[number]>;
  const own = values as SettingValues<DatabaseSetting>;
  const { url, natsUrl, rootSecret } = requireSettings({
    url: [own[database] ?? shared.SERVICE_DB_URL, `${database} or SERVICE_DB_URL`],
    natsUrl: [shared.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    rootSecret: [shared.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
    ...Object.fromEntries(needed.map((name) => [name, [(values as Partial<Record<string, unknown>>)[name], name]])),
  });
  return {
    config: {
      ...readProcessConfig(shared),
      databaseUrl: addPassword(url, shared.SERVICE_DB_PASSWORD, "SERVICE_DB_PASSWORD").reveal(),
      migratesAtStart: shared.SERVICE_MIGRATE === "on",
      rootSecret: rootSecret.reveal(),
      nats: readNatsConfig(natsUrl, shared),
    },
    values: values as SettingValues<More> & Present<SettingValues<Needed>>,
    warnings,
  };
}

/** Reads the database of a service alone, as {@link readStoreServiceConfig} does: a migration needs nothing else. */
export function readDatabaseUrl(environment: Environment, database: DatabaseSetting): string {
  const { values } = loadSettings([database, "SERVICE_DB_URL", "SERVICE_DB_PASSWORD"], environment);
  const { url } = requireSettings({
    url: [values[database] ?? values.SERVICE_DB_URL, `${database} or SERVICE_DB_URL`],
  });
  return addPassword(url, values.SERVICE_DB_PASSWORD, "SERVICE_DB_PASSWORD").reveal();
}
