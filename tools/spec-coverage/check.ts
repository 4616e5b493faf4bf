/**
 * `node tools/spec-coverage/check.ts` prints the rows of the specification that no test names. It fails when another
 * row has lost its test or when a test names a row that does not exist. `--update` writes the shorter list; a longer
 * one needs `--force`.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";
import { compareWithList, measureCoverage, renderList, type SpecificationRow } from "./coverage.ts";

const listFile = path.join(import.meta.dirname, "uncovered.txt");
const rows = JSON.parse(await readFile(path.join(import.meta.dirname, "rows.json"), "utf8")) as SpecificationRow[];
const files = (await repositoryFiles()).filter((file) => file.endsWith(".test.ts") && !file.startsWith("tools/spec-"));
const tests = await Promise.all(
  files.map(async (file) => ({ path: file, text: await readFile(path.join(repositoryRoot, file), "utf8") })),
);
const { uncovered, unknown } = measureCoverage(rows, tests);
const { lost, won } = compareWithList(uncovered, await readFile(listFile, "utf8").catch(() => ""));

console.log(`${rows.length - uncovered.length} of ${rows.length} rows of the specification have a test. Without:`);
for (const [section, missing] of Map.groupBy(uncovered, (row) => row.section)) {
  console.log(`  ${section}: ${missing.map(({ id }) => id.slice("spec:".length)).join(", ")}`);
}
if (process.argv.includes("--update") && (lost.length === 0 || process.argv.includes("--force"))) {
  await writeFile(listFile, renderList(uncovered));
  console.log(`Written: ${won.length} rows fewer, ${lost.length} more.`);
} else {
  if (won.length > 0) console.log(`${won.length} rows have a test now: run this with --update and commit the list.`);
  for (const id of lost) console.error(`${id} has lost its test: bring it back, or take it out with --update --force.`);
  if (lost.length > 0) process.exitCode = 1;
}
for (const name of unknown) console.error(`${name} is no row of the specification: see tools/spec-coverage/rows.json.`);
if (unknown.length > 0) process.exitCode = 1;
