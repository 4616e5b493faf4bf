import type { TestProject } from "vitest/node";
import { startTestPostgres } from "./postgres-cluster.ts";
import { startTestRedis, type TestRedis } from "./redis-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser URL of the PostgreSQL cluster of this test run. */
    postgresAdminUrl: string;
    /** The URL of Redis, or the reason why there is none. */
    redis: TestRedis;
    /** Whether the servers run in containers made from the official images. */
    usesContainers: boolean;
  }
}

/**
 * Starts the servers that all infra tests of a run share: one PostgreSQL cluster, in which every file creates a
 * database, and Redis where available. With TOUCHSTONE_TEST_CONTAINERS=1 they are the official images. Under CI a
 * missing Redis fails the run: a test that is skipped there proves nothing.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const usesContainers = process.env.TOUCHSTONE_TEST_CONTAINERS === "1";
  const isCi = process.env.CI === "true";
  const searchPath = process.env.PATH ?? "";
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const postgres = await startTestPostgres({ usesContainers });
    stops.push(postgres.stop);
    const redis = await startTestRedis({ usesContainers, searchPath });
    stops.push(redis.stop);
    if (isCi && redis.found.url === null) throw new Error(`Infra tests need Redis in CI. ${redis.found.reason}`);
    project.provide("postgresAdminUrl", postgres.adminUrl);
    project.provide("redis", redis.found);
    project.provide("usesContainers", usesContainers);
    return stopAll;
  } catch (error) {
    await stopAll();
    throw error;
  }
}
