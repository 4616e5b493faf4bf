import { readFileSync } from "node:fs";
import type { Logger } from "@touchstone/service-kit";
import { Redis, type RedisOptions } from "ioredis";
import type { RedisConfig, RedisSentinels } from "./redis-config.ts";

/** The time limit of a count; then it is made locally. */
const answerWithinMs = 250;
const connectWithinMs = 1_000;
/** How many reasons are logged until Redis is available again; each once. */
const loggedReasonsMax = 5;
const retryAfterMs = (attempt: number): number => Math.min(attempt * 100, 2_000);

type TlsOptions = NonNullable<RedisOptions["tls"]>;

/**
 * A connection that fails fast. Requests do not wait for Redis to return; a frozen server is disconnected after one
 * late answer, so that it costs one pause and not one for each request. Reconnects indefinitely, at most every 2 s; sentinels
 * are asked for the master each time.
 */
export function connectRedis({ url, sentinels, tls }: RedisConfig, logger: Logger): Redis {
  const secured = url.reveal().startsWith("rediss:") ? readTls(tls) : undefined;
  const redis = new Redis(url.reveal(), {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerWithinMs,
    socketTimeout: answerWithinMs,
    connectTimeout: connectWithinMs,
    retryStrategy: retryAfterMs,
    ...(secured !== undefined && { tls: secured }),
    ...(sentinels !== null && throughSentinels(sentinels, secured)),
  });
  const logged = new Set<string>();
  let ofSentinels: string | null = null;
  redis.on("ready", () => {
    logged.clear();
    logger.info("rate limits are shared through redis");
  });
  redis.on("connect", () => {
    ofSentinels = null;
  });
  redis.on("sentinelError", ({ message }: Error) => {
    ofSentinels = message;
  });
  redis.on("error", ({ message }) => {
    // Only the message: the error of a refused AUTH carries the command, including the password.
    const reason = ofSentinels ?? message;
    if (logged.has(reason) || logged.size >= loggedReasonsMax) return;
    logged.add(reason);
    logger.warn({ reason }, "Redis is unavailable; each gateway counts rate limits for itself");
  });
  return redis;
}

function throughSentinels({ addresses, masterName, password }: RedisSentinels, tls: TlsOptions | undefined) {
  return {
    sentinels: addresses,
    name: masterName,
    sentinelCommandTimeout: connectWithinMs,
    sentinelRetryStrategy: retryAfterMs,
    // A master that became a replica refuses to count.
    reconnectOnError: ({ message }: Error) => message.startsWith("READONLY"),
    ...(password !== null && { sentinelPassword: password.reveal() }),
    ...(tls !== undefined && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  } satisfies RedisOptions;
}

/** Options that read the files at each connection. */
function readTls({ caFile, certFile, keyFile }: RedisConfig["tls"]): TlsOptions {
  const options: TlsOptions = {};
  for (const [name, file] of Object.entries({ ca: caFile, cert: certFile, key: keyFile })) {
    if (file === undefined) continue;
    let content = readFileSync(file);
    Object.defineProperty(options, name, {
      enumerable: true,
      get() {
        try {
          content = readFileSync(file);
        } catch {
          // It is being replaced. An error here would end all reconnecting.
        }
        return content;
      },
    });
  }
  return options;
}
