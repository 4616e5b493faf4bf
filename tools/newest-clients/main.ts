/**
 * `npm run newest-clients`: runs the tests of Langfuse's clients with the newest versions of them, for JavaScript and Python, in place of
 * the ones that this repository installs. It tells when a client that its users may update begins to send something else. CI runs it as
 * a step that blocks nothing: what is released elsewhere is no mistake of the change that is tested.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { startVitest } from "vitest/node";
import { repositoryRoot } from "../repository-files.ts";

const clients = ["langfuse", "@langfuse/client", "@langfuse/otel", "@langfuse/tracing"];
const installDeadlineMs = 300_000;

const folder = path.join(repositoryRoot, ".cache/newest-clients");
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await writeFile(path.join(folder, "package.json"), '{ "private": true }');
// The newest packages of OpenTelemetry may be newer than some of their peers ask for.
const options = ["--force", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
await promisify(execFile)("npm", ["install", ...options, ...clients.map((name) => `${name}@latest`)], {
  cwd: folder,
  timeout: installDeadlineMs,
});
for (const name of clients) {
  const { version } = JSON.parse(await readFile(path.join(folder, "node_modules", name, "package.json"), "utf8"));
  console.log(`${name} ${version}`);
}

process.env.CI = "true";
// Python's client is installed by its test.
process.env.TOUCHSTONE_NEWEST_CLIENTS = folder;
const alias = [{ find: /^(langfuse|@langfuse\/(?:client|otel|tracing))$/, replacement: `${folder}/node_modules/$1` }];
const vitest = await startVitest(
  "test",
  // Names of files, to run a part of them.
  process.argv.slice(2),
  {
    ...{ config: false, root: repositoryRoot, watch: false, isolate: false },
    include: ["tests/integration/specs/langfuse-*.test.ts"],
    globalSetup: ["libs/testkit/src/global-setup.ts"],
    setupFiles: ["libs/testkit/src/test-settings.ts"],
    expect: { poll: { timeout: 90_000 } },
    ...{ testTimeout: 240_000, hookTimeout: 240_000, maxWorkers: 2 },
  },
  { resolve: { alias } },
);
await vitest.close();
