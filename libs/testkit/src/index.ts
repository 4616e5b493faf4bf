export { startTestNats, type TestNats, type TestNatsOptions } from "./nats.ts";
export { createTestDatabase, type TestDatabase } from "./postgres.ts";
export { requireRedis } from "./redis.ts";
