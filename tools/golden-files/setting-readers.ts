import { readFile } from "node:fs/promises";
import path from "node:path";
import { settings } from "@touchstone/contracts";
import { repositoryFiles, repositoryRoot } from "../repository-files.ts";

/** The files that name settings, and their readers on the operator's page, with commas; the first group is a service's name. */
const places: readonly [pattern: RegExp, readers: string][] = [
  [/^services\/([^/]+)\/src\/config\.ts$/, "$1"],
  [/^apps\/standalone\/src\/.*\.ts$/, "standalone"],
  [/^libs\/service-kit\/src\/config\.ts$/, "every service"],
  [/^libs\/service-kit\/src\/store-service-config\.ts$/, "auth, ingest, eval-runs, judge, monitor"],
  [
    /^libs\/service-kit\/src\/process-config\.ts$/,
    "standalone, auth, ingest, eval-runs, judge, monitor, dropin, gateway",
  ],
  [/^libs\/service-kit\/src\/nats-config\.ts$/, "auth, ingest, eval-runs, judge, monitor, gateway"],
];

/** The services that name a setting in their `config.ts`, and whether standalone names it anywhere, by setting. */
export async function findSettingReaders(): Promise<ReadonlyMap<string, readonly string[]>> {
  const readers = new Map<string, string[]>();
  for (const file of await repositoryFiles()) {
    const place = places.find(([pattern]) => pattern.test(file));
    if (place === undefined) continue;
    const fileReaders = file.replace(...place).split(", ");
    const words = new Set((await readFile(path.join(repositoryRoot, file), "utf8")).match(/\b[A-Z][A-Z0-9_]+\b/g));
    for (const name of Object.keys(settings)) {
      if (words.has(name)) readers.set(name, [...new Set([...(readers.get(name) ?? []), ...fileReaders])]);
    }
  }
  return readers;
}
