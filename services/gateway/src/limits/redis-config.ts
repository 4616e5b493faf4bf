import { accessSync, constants } from "node:fs";
import { Secret, type SettingValues } from "@touchstone/contracts";
import { addPassword, ConfigError } from "@touchstone/service-kit";

/** How the gateway connects to Redis. */
export interface RedisConfig {
  /** `redis://` or `rediss://`, with the password. With sentinels only its login, database and protocol count. */
  url: Secret;
  sentinels: RedisSentinels | null;
  /** Paths of PEM files. */
  tls: { caFile?: string; certFile?: string; keyFile?: string };
}

/** The servers that know which Redis is the master. They use TLS if the master does. */
export interface RedisSentinels {
  addresses: { host: string; port: number }[];
  masterName: string;
  password: Secret | null;
}

const sentinelPort = 26_379;

/** Reads the connection to Redis; null without SERVICE_REDIS_URL. Throws a {@link ConfigError} for settings that contradict each other. */
export function readRedisConfig(
  values: SettingValues<
    | "SERVICE_REDIS_URL"
    | "SERVICE_REDIS_PASSWORD"
    | "SERVICE_REDIS_SENTINEL_PASSWORD"
    | "SERVICE_REDIS_CA"
    | "SERVICE_REDIS_CERT"
    | "SERVICE_REDIS_KEY"
  >,
): RedisConfig | null {
  const { SERVICE_REDIS_URL: given, SERVICE_REDIS_SENTINEL_PASSWORD: sentinelPassword } = values;
  if (given === undefined) return null;
  const { url, sentinels } = splitSentinels(given, sentinelPassword);
  const mistakes: string[] = [];
  if (sentinels === null && sentinelPassword !== undefined) {
    mistakes.push("SERVICE_REDIS_SENTINEL_PASSWORD: SERVICE_REDIS_URL names no sentinels");
  }
  const { SERVICE_REDIS_CA: caFile, SERVICE_REDIS_CERT: certFile, SERVICE_REDIS_KEY: keyFile } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    mistakes.push("SERVICE_REDIS_CERT and SERVICE_REDIS_KEY: set both or neither");
  }
  for (const [name, file] of Object.entries({ CA: caFile, CERT: certFile, KEY: keyFile })) {
    if (file === undefined) continue;
    if (!url.reveal().startsWith("rediss:")) {
      mistakes.push(`SERVICE_REDIS_${name}: SERVICE_REDIS_URL is without TLS; it must start with rediss`);
    } else if (!isReadable(file)) mistakes.push(`SERVICE_REDIS_${name}: the file cannot be read`);
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    url: addPassword(url, values.SERVICE_REDIS_PASSWORD, "SERVICE_REDIS_PASSWORD"),
    sentinels,
    tls: {
      ...(caFile !== undefined && { caFile }),
      ...(certFile !== undefined && keyFile !== undefined && { certFile, keyFile }),
    },
  };
}

/** Of `redis+sentinel://login@a,b/name/0` the URL `redis://login@a/0`, and the sentinels a and b. */
function splitSentinels(given: Secret, password: Secret | undefined): Pick<RedisConfig, "url" | "sentinels"> {
  const parts = /^(rediss?)\+sentinel:\/\/([^/@]*@)?([^/]+)\/([^/]+)(\/\d+)?$/.exec(given.reveal());
  if (parts === null) return { url: given, sentinels: null };
  const [, protocol = "", login = "", hosts = "", masterName = "", database = ""] = parts;
  const addresses = hosts.split(",").map((host) => {
    const { hostname, port } = new URL(`redis://${host.trim()}`);
    return { host: hostname.replaceAll(/[[\]]/g, ""), port: port === "" ? sentinelPort : Number(port) };
  });
  return {
    url: new Secret(`${protocol}://${login}${hosts.split(",")[0]?.trim()}${database}`),
    sentinels: { addresses, masterName, password: password ?? null },
  };
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
