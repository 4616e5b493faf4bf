import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { goldenFiles } from "./golden-files/golden-files.ts";
import { repositoryRoot } from "./repository-files.ts";

/**
 * `node tools/generate.ts` writes every generated file; with `--check` it writes nothing and fails when one differs.
 */
const isCheck = process.argv.includes("--check");
const stale: string[] = [];
for (const { path: name, render } of goldenFiles) {
  const file = path.join(repositoryRoot, name);
  const text = await render();
  const before = await readFile(file, "utf8").catch(() => null);
  if (before === text) continue;
  stale.push(name);
  if (!isCheck) await writeFile(file, text);
}
if (stale.length === 0) console.log(`${goldenFiles.length} generated files are up to date.`);
else console.log(`${isCheck ? "Out of date" : "Written"}:\n${stale.map((name) => `  ${name}`).join("\n")}`);
if (isCheck && stale.length > 0) {
  console.log("Run `node tools/generate.ts` and commit what it writes.");
  process.exitCode = 1;
}
