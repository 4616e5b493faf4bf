/**
 * `node tools/tidy/list-oversized.ts` removes entries that became shorter from the list of oversized files and
 * functions. The list may only shrink; new or larger entries need `--force`, and a review sees them there.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";
import { compareWithList, measureSize, renderList } from "./measure-size.ts";

const listFile = path.join(import.meta.dirname, "oversized.txt");
const files = (await repositoryFiles()).filter((file) => /\.tsx?$/.test(file) && !/\.gen\.(d\.)?ts$/.test(file));
const oversized = measureSize(
  await Promise.all(
    files.map(async (file) => ({ path: file, text: await readFile(path.join(repositoryRoot, file), "utf8") })),
  ),
);
const list = await readFile(listFile, "utf8");
const longer = compareWithList(oversized, list).filter((sentence) => sentence.includes("split it"));
if (longer.length > 0 && !process.argv.includes("--force")) {
  console.error(longer.join("\n"));
  process.exitCode = 1;
} else {
  await writeFile(listFile, renderList(oversized));
}
