import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";

export type AuthConfig = StoreServiceConfig;

/** Reads auth's settings; every mistake is reported at once, by variable name. */
export function readAuthConfig(environment: Environment): { config: AuthConfig; warnings: string[] } {
  const { config, warnings } = readStoreServiceConfig(environment, { database: "SERVICE_AUTH_DB_URL" });
  return { config, warnings };
}
