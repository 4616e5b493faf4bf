/**
 * `node tools/tidy/list-oversized.ts` takes what became shorter off the list of what is too long. The list may only
 * shrink; what is new or grew is put on it with `--force`, and a review sees it there.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";
import { compareWithList, measureSize, renderList } from "./measure-size.ts";

const listFile = path.join(import.meta.dirname, "oversized.txt");
const files = (await repositoryFiles()).filter((file) => file.endsWith(".ts"));
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
