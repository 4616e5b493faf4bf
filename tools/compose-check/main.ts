/**
 * Checks `deploy/compose.yaml` with Docker Compose itself: `npm run compose-check`. It builds the version of `go.mod` into
 * `.cache` and needs no Docker.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { buildGoProgram, hasGo } from "../go-program.ts";
import { repositoryRoot } from "../repository-files.ts";

const cache = path.join(repositoryRoot, ".cache/compose-check");
const checkDeadlineMs = 60_000;

if (hasGo()) {
  try {
    check(
      buildGoProgram({
        module: "tools/compose-check",
        program: "github.com/docker/compose/v2/cmd",
        name: "docker-compose",
      }),
    );
  } catch (error) {
    // The command has printed why.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
} else {
  console.log("compose-check is skipped: Go is not installed.");
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
