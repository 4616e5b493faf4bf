import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../repository-files.ts";
import { mutants } from "./mutants.ts";

test.for(mutants)('the text of "$name" occurs once in its file, and its test file exists', async (mutant) => {
  const text = await readFile(path.join(repositoryRoot, mutant.file), "utf8");
  expect(text.split(mutant.find).length - 1, `occurrences of its text in ${mutant.file}`).toBe(1);
  expect(existsSync(path.join(repositoryRoot, mutant.test.file)), mutant.test.file).toBe(true);
});
