import { inject, type TestContext } from "vitest";

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
