import type { Secret, SettingName, SettingValues } from "@touchstone/contracts";
import { ConfigError } from "./config.ts";

/** The settings of a connection to NATS. */
export const natsSettings = [
  "SERVICE_NATS_URL",
  "SERVICE_NATS_USER",
  "SERVICE_NATS_PASSWORD",
  "SERVICE_NATS_CA",
  "SERVICE_NATS_CERT",
  "SERVICE_NATS_KEY",
  "SERVICE_NATS_REPLICAS",
] as const satisfies SettingName[];

/** How a service connects to NATS. */
export interface NatsConfig {
  url: string;
  user: string | undefined;
  password: Secret | undefined;
  /** Paths of PEM files; undefined when none is set. */
  tls: { caFile?: string; certFile?: string; keyFile?: string } | undefined;
  eventStore: { replicas: number };
}

/** Reads a connection to the required `url`. Throws a {@link ConfigError} for half a client certificate. */
export function readNatsConfig(url: string, values: SettingValues<(typeof natsSettings)[number]>): NatsConfig {
  const { SERVICE_NATS_CA: caFile, SERVICE_NATS_CERT: certFile, SERVICE_NATS_KEY: keyFile } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError(["SERVICE_NATS_CERT and SERVICE_NATS_KEY: set both or neither"]);
  }
  const tls = {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && keyFile !== undefined && { certFile, keyFile }),
  };
  return {
    url,
    user: values.SERVICE_NATS_USER,
    password: values.SERVICE_NATS_PASSWORD,
    tls: Object.keys(tls).length > 0 ? tls : undefined,
    eventStore: { replicas: values.SERVICE_NATS_REPLICAS },
  };
}
