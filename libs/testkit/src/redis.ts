import { inject, type TestContext } from "vitest";

/**
 * URL of the Redis of the test run. Where there is none it skips the test that asks, with the reason in the report:
 * `test("...", async (context) => { const redisUrl = requireRedis(context); ... })`. Databases are shared by all files:
 * take keys nobody else uses.
 */
export function requireRedis(context: Pick<TestContext, "skip">): string {
  const redis = inject("redis");
  if (redis.url === null) context.skip(redis.reason);
  return redis.url;
}
