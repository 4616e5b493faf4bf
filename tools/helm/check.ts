/**
 * `npm run helm-check`: builds Helm and kubeconform once, then runs the tests of the chart. It is skipped where Go is
 * missing.
 */
import { spawnSync } from "node:child_process";
import { hasGo } from "../go-program.ts";
import { repositoryRoot } from "../repository-files.ts";
import { buildHelm } from "./go-tools.ts";
import { writeSchemas } from "./write-schemas.ts";

if (hasGo()) {
  buildHelm();
  await writeSchemas();
  const args = ["run", "--project", "helm", ...process.argv.slice(2)];
  process.exitCode = spawnSync("vitest", args, { cwd: repositoryRoot, stdio: "inherit" }).status ?? 1;
} else {
  console.log("helm-check is skipped: Go is not installed, and it builds Helm.");
}
