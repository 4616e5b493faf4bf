import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";

export type MonitorConfig = StoreServiceConfig;

/** Reads monitor's settings; every mistake is reported at once, by variable name. */
export function readMonitorConfig(environment: Environment): { config: MonitorConfig; warnings: string[] } {
  const { config, warnings } = readStoreServiceConfig(environment, { database: "SERVICE_MONITOR_DB_URL" });
  return { config, warnings };
}
