/**
 * `node tools/build-dashboard.ts --out <folder> [--brotli]` builds the dashboard into a folder that does not exist yet.
 * Files that compress well get a gzip version; `--brotli` adds the other one, which takes seconds.
 */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { buildFolder } from "./build-folder.ts";
import { repositoryRoot } from "./repository-files.ts";

const dashboard = path.join(repositoryRoot, "apps/dashboard");
const compressible = /\.(html|js|css|svg|json|txt|webmanifest)$/;

const { values } = parseArgs({ options: { out: { type: "string" }, brotli: { type: "boolean", default: false } } });
if (values.out === undefined) fail("Say where to: --out <folder>.");
// It runs in parallel with the start of the servers, which the user waits for. A lower priority cannot be raised.
setPriority(Math.max(getPriority(), 10));
try {
  await buildFolder(path.resolve(values.out), async (temporary) => {
    await runVite(temporary);
    await compress(temporary, values.brotli);
  });
} catch (thrown) {
  fail(thrown instanceof Error ? thrown.message : String(thrown));
}

/** Vite as it is installed for the dashboard. It writes nothing beside the output. */
async function runVite(outDir: string): Promise<void> {
  const vite = path.join(dashboard, "node_modules/vite/bin/vite.js");
  const args = [
    "build",
    dashboard,
    "--outDir",
    outDir,
    "--emptyOutDir",
    "--configLoader",
    "native",
    "--logLevel",
    "error",
  ];
  const child = spawn(process.execPath, [vite, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, NODE_ENV: "production", NO_COLOR: "1" },
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(0, 4_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(said.trim() || `vite ended with code ${code}`);
}

async function compress(folder: string, withBrotli: boolean): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      const bytes = await readFile(file);
      const gzipped = await promisify(gzip)(bytes, { level: 6 });
      if (gzipped.length < bytes.length) await writeFile(`${file}.gz`, gzipped);
      if (!withBrotli) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      const small = await promisify(brotliCompress)(bytes, { params });
      if (small.length < bytes.length) await writeFile(`${file}.br`, small);
    }),
  );
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
