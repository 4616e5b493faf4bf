import type { Secret } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import { Redis } from "ioredis";

/** The time limit of a count; then it is made locally. */
const answerWithinMs = 250;

/**
 * A connection that fails fast. Requests do not wait for Redis to return; a frozen server is disconnected after one
 * late answer, so that it costs one pause and not one for each request. Reconnects indefinitely, at most every 2 s.
 */
export function connectRedis(url: Secret, logger: Logger): Redis {
  const redis = new Redis(url.reveal(), {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerWithinMs,
    socketTimeout: answerWithinMs,
    connectTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  let isAway = false;
  redis.on("ready", () => {
    isAway = false;
    logger.info("rate limits are shared through redis");
  });
  redis.on("error", ({ message }) => {
    // Only the message: the error of a refused AUTH carries the command, including the password.
    if (!isAway) logger.warn({ reason: message }, "redis is away; each gateway counts rate limits for itself");
    isAway = true;
  });
  return redis;
}
