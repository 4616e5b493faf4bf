import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LongFilesFirst } from "./tools/long-files-first.ts";

/**
 * Loading what a file needs costs more than most files' tests do, so a worker loads it once. What a test sets in a module it
 * sets back. Limits, deadlines and the environment are set back after each file.
 */
const isolate = false;

/** How soon something comes true is no claim of a test, and a machine may be slow. */
const expectation = { poll: { timeout: 90_000 } };
const setupFiles = ["libs/testkit/src/test-settings.ts"];

/** The rows of the specification. The tags of a test name those that it covers; any other tag is refused. */
const rows: { id: string }[] = JSON.parse(
  readFileSync(new URL("tools/spec-coverage/rows.json", import.meta.url), "utf8"),
);
const tags = rows.map(({ id }) => ({ name: id }));

const packages = "{apps,libs,packages,services}/*/test/**";

/**
 * Six projects. `unit` needs nothing but Node. `infra` runs against a real PostgreSQL, NATS and Redis, which its
 * global set-up starts once; each file makes its own database and its own nats-server. `chaos` hurts installations of its own.
 * `browser` drives a Chromium against an installation with the sample project; it runs by itself, after the others.
 * `proof` are faults that take long, for `npm run proof`. `helm` renders the chart, for `npm run helm-check`.
 */
export default defineConfig({
  test: {
    tags,
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: "unit",
          isolate,
          expect: expectation,
          setupFiles,
          include: [`${packages}/*.test.ts`, "tools/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.infra.test.ts", "tools/helm/**"],
          // They compute for milliseconds; on a machine that runs servers for other tests they may wait for their turn.
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // As many as of the project below, which shares its turn.
          maxWorkers: 6,
        },
      },
      {
        test: {
          name: "infra",
          isolate,
          expect: expectation,
          setupFiles,
          include: [
            `${packages}/*.infra.test.ts`,
            "tools/**/*.infra.test.ts",
            "tests/{integration,conformance}/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**"],
          globalSetup: ["libs/testkit/src/global-setup.ts"],
          // On a slow machine a start of all services takes most of a minute; no test claims to be quick by these.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Three times as many as CI has processors: tests wait for servers, and servers for the disk.
          maxWorkers: 6,
        },
      },
      {
        test: {
          name: "chaos",
          isolate,
          expect: expectation,
          setupFiles,
          include: ["tests/{chaos,attack}/specs/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 480_000,
          hookTimeout: 480_000,
          // They wait for servers more than they compute; an installation takes a gigabyte.
          maxWorkers: 4,
          // Each file starts installations of its own, after the other tests: nobody else's load is part of the experiment.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "proof",
          isolate,
          expect: expectation,
          setupFiles,
          include: ["tests/chaos/proof/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          testTimeout: 3_600_000,
          hookTimeout: 480_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "browser",
          isolate,
          expect: expectation,
          setupFiles,
          include: ["tests/browser/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["tests/browser/src/global-setup.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Two pages at a time keep two processors busy.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "helm",
          isolate,
          setupFiles,
          include: ["tools/helm/*.test.ts"],
          // `npm run helm-check` has built Helm before.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
