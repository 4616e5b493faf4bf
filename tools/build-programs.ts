/**
 * `node tools/build-programs.ts --out <folder>` bundles each program for its first thread: the standalone and the services. Threads,
 * child processes, migrations and fixtures are read from the sources, to which a bundle refers by their absolute paths.
 */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type Plugin, rolldown } from "rolldown";
import { buildFolder } from "./build-folder.ts";
import { repositoryRoot } from "./repository-files.ts";

/** It starts threads with a file beside its own. */
const unbundledPackage = "piscina";
/** A program that still runs may load a part of an old bundle later. */
const keptDays = 30;

async function bundlePrograms(folder: string): Promise<void> {
  const services = await readdir(path.join(repositoryRoot, "services"));
  const bundle = await rolldown({
    input: {
      standalone: path.join(repositoryRoot, "apps/standalone/src/main.ts"),
      ...Object.fromEntries(services.map((name) => [name, path.join(repositoryRoot, "services", name, "src/main.ts")])),
    },
    platform: "node",
    logLevel: "silent",
    plugins: [sourcePaths, leaveOut],
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
}

/** What a module knows of its place is the place of its source. */
const sourcePaths: Plugin = {
  name: "source-paths",
  transform(code, file) {
    const isCommonJs = /\b__(?:dirname|filename)\b/.test(code);
    if (!isCommonJs && !code.includes("import.meta")) return null;
    const places = {
      url: JSON.stringify(pathToFileURL(file).href),
      dirname: JSON.stringify(path.dirname(file)),
      filename: JSON.stringify(file),
    };
    const replaced = code.replace(
      /\bimport\.meta\.(url|dirname|filename)\b/g,
      (_match, name: keyof typeof places) => places[name],
    );
    return isCommonJs ? `var __dirname = ${places.dirname}, __filename = ${places.filename};${replaced}` : replaced;
  },
};

const leaveOut: Plugin = {
  name: "leave-out",
  async resolveId(source, importer, options) {
    if (source !== unbundledPackage) return null;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    return resolved === null ? null : { id: pathToFileURL(resolved.id).href, external: true };
  },
};

async function removeOld(parent: string): Promise<void> {
  const since = Date.now() - keptDays * 24 * 3_600_000;
  for (const name of await readdir(parent)) {
    const folder = path.join(parent, name);
    // Another process may rename or delete it at this moment.
    const found = await stat(folder).catch(() => null);
    if (found !== null && found.mtimeMs < since) await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out === undefined) {
  console.error("Say where to: --out <folder>.");
  process.exit(1);
}
await buildFolder(path.resolve(values.out), bundlePrograms);
await removeOld(path.dirname(path.resolve(values.out)));
