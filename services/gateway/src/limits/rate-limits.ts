import type { AddressRateGroup, KeyRateGroup, RateGroup } from "@touchstone/contracts";
import type { Logger } from "@touchstone/service-kit";
import type { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { createLocalCounter, type LocalCounter } from "./local-counter.ts";
import type { RedisConfig } from "./redis-config.ts";
import { connectRedis } from "./redis-connection.ts";

type LimitedGroup = Exclude<RateGroup, "none"> | AddressRateGroup | KeyRateGroup;

/** Requests per window; null disables a limiter. */
export type RateLimitSettings = Record<LimitedGroup, number | null>;

/** The state of a counter after one more request. */
export interface RateCount {
  isOver: boolean;
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Whole seconds until the window ends, from 1 to `windowSeconds`. */
  resetSeconds: number;
}

export interface RateLimits {
  /** Counts one request of a subject (a client address or a project). Null if its group is not limited. */
  count(group: RateGroup | AddressRateGroup | KeyRateGroup, subject: string): Promise<RateCount | null>;
  close(): void;
}

const windowSeconds = 60;
/** Subjects of a group with separate counters in one gateway: about 20 MB. */
const subjectsMax = 100_000;
/** Windows of another length (completions 1.3). */
const ownWindowSeconds: Partial<Record<string, number>> = { projectDeletion: 15 * 60 } satisfies Partial<
  Record<LimitedGroup, number>
>;

/**
 * Counts requests per minute, or in the window of their group (interface: Limits). With Redis all gateways count
 * together. While Redis is unavailable or slow, each counts for itself: a limit never turns into an error, and is never
 * lifted. Local counts are bounded.
 */
export function createRateLimits(options: {
  settings: RateLimitSettings;
  redis: RedisConfig | null;
  logger: Logger;
}): RateLimits {
  const redis = options.redis === null ? null : connectRedis(options.redis, options.logger);
  const limiters = new Map(
    Object.entries(options.settings)
      .filter((entry): entry is [string, number] => entry[1] !== null)
      .map(([group, limit]) => [group, createLimiter(group, limit, redis)]),
  );
  return {
    async count(group, subject) {
      const limiter = limiters.get(group);
      if (limiter === undefined) return null;
      const { counted, leftMs } = (await countTogether(limiter, subject)) ?? limiter.local.count(subject);
      return {
        isOver: counted > limiter.limit,
        limit: limiter.limit,
        windowSeconds: limiter.windowSeconds,
        remaining: Math.max(0, limiter.limit - counted),
        // A wall clock that is set back makes a window in memory end later.
        resetSeconds: Math.min(limiter.windowSeconds, Math.max(1, Math.ceil(leftMs / 1000))),
      };
    },
    close: () => redis?.disconnect(),
  };
}

interface Limiter {
  limit: number;
  windowSeconds: number;
  /** Null without Redis. */
  shared: RateLimiterRedis | null;
  local: LocalCounter;
}

function createLimiter(group: string, limit: number, redis: Redis | null): Limiter {
  const seconds = ownWindowSeconds[group] ?? windowSeconds;
  return {
    limit,
    windowSeconds: seconds,
    local: createLocalCounter({ windowMs: seconds * 1000, subjectsMax }),
    shared:
      redis === null
        ? null
        : new RateLimiterRedis({
            keyPrefix: `touchstone:rate:${group}`,
            points: limit,
            duration: seconds,
            storeClient: redis,
            rejectIfRedisNotReady: true,
            // A subject over the limit is refused from memory until the window ends: a storm does not reach Redis.
            inMemoryBlockOnConsumed: limit + 1,
          }),
  };
}

/** The count from Redis; null if Redis is unavailable, too slow or not in use. */
async function countTogether({ shared, limit }: Limiter, subject: string) {
  if (shared === null) return null;
  try {
    const { consumedPoints, msBeforeNext } = await shared.consume(subject);
    return { counted: consumedPoints, leftMs: msBeforeNext };
  } catch (thrown) {
    // The library throws it for a subject over the limit; from memory it does not report the count.
    return thrown instanceof RateLimiterRes ? { counted: limit + 1, leftMs: thrown.msBeforeNext } : null;
  }
}
