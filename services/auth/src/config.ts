import type { Secret } from "@touchstone/contracts";
import { type Environment, loadSettings, requireSettings } from "@touchstone/service-kit";

export interface AuthConfig {
  listen: { host: string; port: number };
  logLevel: string;
  databaseUrl: string;
  rootSecret: string;
  nats: { url: string; user: string | undefined; password: Secret | undefined };
}

/** Reads auth's settings; every mistake is reported at once, by variable name. */
export function readAuthConfig(environment: Environment): { config: AuthConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(
    [
      "PORT",
      "SERVICE_HOST",
      "SERVICE_LOG_LEVEL",
      "SERVICE_DB_URL",
      "SERVICE_AUTH_DB_URL",
      "SERVICE_NATS_URL",
      "SERVICE_NATS_USER",
      "SERVICE_NATS_PASSWORD",
      "SERVICE_INTERNAL_SECRET",
    ],
    environment,
  );
  const { databaseUrl, natsUrl, rootSecret } = requireSettings({
    databaseUrl: [values.SERVICE_AUTH_DB_URL ?? values.SERVICE_DB_URL, "SERVICE_AUTH_DB_URL or SERVICE_DB_URL"],
    natsUrl: [values.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
  });
  return {
    config: {
      listen: { host: values.SERVICE_HOST, port: values.PORT },
      logLevel: values.SERVICE_LOG_LEVEL,
      databaseUrl: databaseUrl.reveal(),
      rootSecret: rootSecret.reveal(),
      nats: { url: natsUrl, user: values.SERVICE_NATS_USER, password: values.SERVICE_NATS_PASSWORD },
    },
    warnings,
  };
}
