import type { KeyRateGroup, RateGroup, Secret } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { connectRedis } from "./redis-connection.ts";

/** Requests per minute; null switches a limiter off. */
export type RateLimitSettings = Record<Exclude<RateGroup, "none"> | KeyRateGroup, number | null>;

/** Where a counter stands after one more request. */
export interface RateCount {
  isOver: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
}

export interface RateLimits {
  /** Counts one request of a subject (a client address or a project). Null when its group is not limited. */
  count(group: RateGroup | KeyRateGroup, subject: string): Promise<RateCount | null>;
  close(): void;
}

export const windowSeconds = 60;

/**
 * Counts requests per minute (interface: Limits). With Redis all gateways count together. While Redis is away, or does
 * not answer at once, each counts for itself: a limit never turns into an error, and never into no limit.
 */
export function createRateLimits(options: {
  settings: RateLimitSettings;
  redisUrl: Secret | null;
  logger: Logger;
}): RateLimits {
  const redis = options.redisUrl === null ? null : connectRedis(options.redisUrl, options.logger);
  const limiters = new Map(
    Object.entries(options.settings)
      .filter((entry): entry is [string, number] => entry[1] !== null)
      .map(([group, limit]) => [group, createLimiter(group, limit, redis)]),
  );
  return {
    async count(group, subject) {
      const limiter = limiters.get(group);
      if (limiter === undefined) return null;
      try {
        return describe(limiter.points, await limiter.consume(subject), false);
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return describe(limiter.points, thrown, true);
        throw thrown;
      }
    },
    close: () => redis?.disconnect(),
  };
}

function createLimiter(group: string, limit: number, redis: Redis | null): RateLimiterMemory | RateLimiterRedis {
  const bounds = { keyPrefix: `touchstone:rate:${group}`, points: limit, duration: windowSeconds };
  const local = new RateLimiterMemory(bounds);
  if (redis === null) return local;
  return new RateLimiterRedis({
    ...bounds,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: local,
    // Whoever is over the limit is refused from memory until the window ends: a storm does not reach Redis.
    inMemoryBlockOnConsumed: limit + 1,
  });
}

function describe(limit: number, result: RateLimiterRes, isOver: boolean): RateCount {
  return {
    isOver,
    limit,
    remaining: isOver ? 0 : result.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  };
}
