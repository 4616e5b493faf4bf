import { readFile } from "node:fs/promises";
import path from "node:path";
import { settings } from "@touchstone/contracts";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";

/** Which services name a setting in their `config.ts`, and whether standalone names it anywhere, by setting. */
export async function findSettingReaders(): Promise<ReadonlyMap<string, readonly string[]>> {
  const readers = new Map<string, string[]>();
  for (const file of await repositoryFiles()) {
    const service = /^services\/([^/]+)\/src\/config\.ts$/.exec(file)?.[1];
    const reader = service ?? (/^apps\/standalone\/src\/.*\.ts$/.test(file) ? "standalone" : undefined);
    if (reader === undefined) continue;
    const words = new Set((await readFile(path.join(repositoryRoot, file), "utf8")).match(/\b[A-Z][A-Z0-9_]+\b/g));
    for (const name of Object.keys(settings)) {
      const known = readers.get(name) ?? [];
      if (words.has(name) && !known.includes(reader)) readers.set(name, [...known, reader]);
    }
  }
  return readers;
}
