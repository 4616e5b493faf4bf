/**
 * Checks `deploy/compose.yaml` with Docker Compose itself: `npm run compose-check`. It builds the version of `go.mod` into
 * `.cache` and needs no Docker.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { findOnPath } from "@touchstone/embedded-servers";
import { repositoryRoot } from "../repository-files.ts";

const cache = path.join(repositoryRoot, ".cache/compose");
const buildDeadlineMs = 45 * 60_000;
const checkDeadlineMs = 60_000;

if ((await findOnPath("go", process.env.PATH ?? "")) === null) {
  console.log("compose-check is skipped: Go is not installed.");
} else {
  try {
    check(build());
  } catch (error) {
    // The command has printed why.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** The path of Docker Compose, which is built once for each version. */
function build(): string {
  const version = createHash("sha256")
    .update(readFileSync(path.join(import.meta.dirname, "go.sum")))
    .digest("hex");
  const executable = path.join(cache, version.slice(0, 16), "docker-compose");
  if (existsSync(executable)) return executable;
  console.log("Building Docker Compose (several minutes the first time) ...");
  execFileSync("go", ["build", "-mod=readonly", "-o", executable, "github.com/docker/compose/v2/cmd"], {
    cwd: import.meta.dirname,
    stdio: "inherit",
    timeout: buildDeadlineMs,
  });
  return executable;
}

function check(executable: string): void {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "env-"));
  try {
    const run = (command: string, ...args: string[]): string =>
      execFileSync(command, args, {
        cwd: repositoryRoot,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
        timeout: checkDeadlineMs,
      });
    run("sh", "deploy/init-env.sh", folder);
    run(executable, "--file", "deploy/compose.yaml", "--env-file", path.join(folder, ".env"), "config", "--quiet");
    console.log("Docker Compose accepts deploy/compose.yaml.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
