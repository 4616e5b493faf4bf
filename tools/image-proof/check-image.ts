import { lstat, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { baseFolder, type ImageConfig } from "./build-image.ts";

const imageBytesMax = 400e6;
const ownBytesMax = 160e6;
const home = "touchstone/";

interface Entry {
  name: string;
  bytes: number;
  uid: number;
  mode: number;
  isLink: boolean;
}

export interface ImageReport {
  /** Bytes of all files, and of those that the base does not have. */
  bytes: number;
  ownBytes: number;
  /** What is wrong with the image, a sentence each. */
  faults: string[];
}

/** Checks size, user, labels and contents of an image. */
export async function checkImage({ root, config }: { root: string; config: ImageConfig }): Promise<ImageReport> {
  const base = new Map((await listEntries(baseFolder)).map((entry) => [entry.name, entry.bytes]));
  const all = await listEntries(root);
  const own = all.filter(({ name, bytes }) => base.get(name) !== bytes);
  const bytes = sumBytes(all);
  const ownBytes = sumBytes(own);
  const faults: string[] = [];
  const expectNone = (what: string, entries: readonly Entry[]): void => {
    const [first] = entries;
    if (first !== undefined) faults.push(`It has ${entries.length} ${what}, such as /${first.name}.`);
  };

  if (bytes > imageBytesMax) faults.push(`It has ${bytes} bytes, more than ${imageBytesMax}.`);
  if (ownBytes > ownBytesMax) faults.push(`Its own files have ${ownBytes} bytes, more than ${ownBytesMax}.`);
  const users = await readFile(path.join(root, "etc/passwd"), "utf8");
  if (config.User !== "node" || !/^node:[^:]*:1000:/m.test(users))
    faults.push(`It runs as ${config.User}, not as node.`);
  for (const label of ["title", "description", "version", "revision"]) {
    if (!config.Labels?.[`org.opencontainers.image.${label}`]) faults.push(`It has no label ${label}.`);
  }
  for (const name of ["TOUCHSTONE_VERSION", "TOUCHSTONE_REVISION"]) {
    if (!config.Env.some((variable) => variable.startsWith(`${name}=`))) faults.push(`It does not set ${name}.`);
  }
  // Package managers and compilers leave their caches elsewhere.
  expectNone(
    `files outside of /${home}`,
    own.filter(({ name }) => !name.startsWith(home)),
  );
  expectNone(
    "caches of a package manager",
    all.filter(({ name }) =>
      /(^|\/)(\.npm|_cacache|pnpm-store|pnpm-cache|\.pnpm-store)\/|^var\/cache\/apt\//.test(name),
    ),
  );
  expectNone(
    "package managers",
    all.filter(({ name }) => /^usr\/local\/(bin\/(npm|npx|corepack|pnpm|yarn)|lib\/node_modules\/)/.test(name)),
  );
  const code = own.filter(({ name }) => name.startsWith(home) && !name.includes("/node_modules/"));
  expectNone(
    "test files",
    code.filter(({ name }) => /\/tests?\/|\.test\.ts$|\/(testkit|service-tests|fixtures)\//.test(name)),
  );
  expectNone(
    "test runners",
    own.filter(({ name }) => /node_modules\/(\.pnpm\/)?(vitest|typescript|vite|playwright-core)[@/]/.test(name)),
  );
  expectNone(
    "files that may hold secrets",
    own.filter(({ name }) => /(^|\/)(\.env[^/]*|\.npmrc|\.git|\.ssh|id_[a-z0-9]+|[^/]+\.(pem|key|p12))$/.test(name)),
  );
  expectNone(
    "files that the services can change",
    own.filter(({ uid, mode, isLink }) => !isLink && (uid !== 0 || (mode & 0o022) !== 0)),
  );
  return { bytes, ownBytes, faults };
}

async function listEntries(root: string): Promise<Entry[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return Promise.all(
    found
      .filter((entry) => !entry.isDirectory())
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const { size, uid, mode } = await lstat(file);
        return { name: path.relative(root, file), bytes: size, uid, mode, isLink: entry.isSymbolicLink() };
      }),
  );
}

const sumBytes = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0);
