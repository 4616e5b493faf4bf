import { defineConfig } from "vitest/config";

const packages = "{apps,libs,services}/*/test/**";

/**
 * Three projects. `unit` needs nothing but Node. `infra` runs against a real PostgreSQL, NATS and Redis, which its
 * global set-up starts once; each file makes its own database and its own nats-server. `chaos` hurts installations of its own.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [`${packages}/*.test.ts`, "tools/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.infra.test.ts"],
        },
      },
      {
        test: {
          name: "infra",
          include: [
            `${packages}/*.infra.test.ts`,
            "tools/**/*.infra.test.ts",
            "tests/{integration,conformance}/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**"],
          globalSetup: ["libs/testkit/src/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "chaos",
          include: ["tests/chaos/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
          // Each file starts installations of its own, after the other tests: nobody else's load is part of the experiment.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
