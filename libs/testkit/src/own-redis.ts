import { inject, type TestContext } from "vitest";
import { type RedisOptions, startRedisProcess } from "./redis-server.ts";

/**
 * URL of the Redis of the test run. Skips the calling test if there is none, with the reason in the report:
 * `test("...", async (context) => { const redisUrl = requireRedis(context); ... })`. All files share its databases: use
 * unique keys.
 */
export function requireRedis(context: Pick<TestContext, "skip">): string {
  const redis = inject("redis");
  if (redis.url === null) context.skip(redis.reason);
  return redis.url;
}

/** A redis-server of one test, which it may stop, freeze and empty. */
export interface OwnRedis {
  url: string;
  port: number;
  /** Freezes it like SIGSTOP: connections are accepted, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Ends it at once; its data is lost. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a redis-server, or a sentinel, from the PATH; skips the test if there is none. */
export async function startOwnRedis(context: Pick<TestContext, "skip">, options?: RedisOptions): Promise<OwnRedis> {
  requireRedis(context);
  const redis = await startRedisProcess(process.env.PATH ?? "", options);
  if (redis === null) context.skip("There is no redis-server on the PATH.");
  const { url, port, send, stop } = redis as NonNullable<typeof redis>;
  return {
    url,
    port,
    freeze: () => send("SIGSTOP"),
    thaw: () => send("SIGCONT"),
    async kill() {
      send("SIGKILL");
      await stop();
    },
    stop,
  };
}
