import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, statfs } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { syncFolder } from "../postgres-cluster.ts";
import { unusableFile } from "./backup-failures.ts";

/** The name of the list of files, in the format of `sha256sum`. */
const sumsName = "SHA256SUMS";

/** Files that describe the running process, and copies that PostgreSQL makes again. */
function isNotCopied(name: string): boolean {
  const prefixes = ["postmaster.", "pg_internal.init", "pgsql_tmp"];
  return prefixes.some((prefix) => name.startsWith(prefix)) || name.endsWith(".old");
}

/** Folders of the data whose content PostgreSQL does not read at a start; the log comes from the archive. */
const emptied: ReadonlySet<string> = new Set(
  "pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans".split(" "),
);

export interface CopiedFiles {
  bytes: number;
  /** By path relative to the copy. */
  sums: Map<string, string>;
}

/**
 * Copies the data folder of a running server, between `pg_backup_start` and `pg_backup_stop`. Files change meanwhile;
 * the archived log repairs that.
 */
export async function copyRunningCluster(data: string, copy: string, signal: AbortSignal): Promise<CopiedFiles> {
  const copied: CopiedFiles = { bytes: 0, sums: new Map() };
  const copyFile = fileCopier(signal);
  const take = async (relative: string): Promise<void> => {
    const taken = await copyFile(path.join(data, relative), path.join(copy, relative)).catch(ignoreGone);
    if (taken === null) return;
    copied.sums.set(path.join(path.basename(copy), relative), taken.sum);
    copied.bytes += taken.bytes;
  };
  const walk = async (folder: string): Promise<void> => {
    await mkdir(path.join(copy, folder), { mode: 0o700 });
    for (const entry of await readdir(path.join(data, folder), { withFileTypes: true }).catch(nothingIfGone)) {
      const relative = path.join(folder, entry.name);
      if (emptied.has(relative)) await mkdir(path.join(copy, relative), { mode: 0o700 });
      else if (entry.isDirectory()) await walk(relative);
      else if (entry.isSymbolicLink()) throw tablespace(path.join(data, relative));
      else if (!isNotCopied(entry.name) && relative !== controlFile) await take(relative);
    }
  };
  await walk("");
  // It names the checkpoint that recovery begins at, so it is copied last.
  await take(controlFile);
  return copied;
}

const controlFile = path.join("global", "pg_control");

/** Copies files that do not change. */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<CopiedFiles> {
  const copied: CopiedFiles = { bytes: 0, sums: new Map() };
  const copyFile = fileCopier(signal);
  await mkdir(to, { mode: 0o700, recursive: true });
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(from, path.join(entry.parentPath, entry.name));
    const target = path.join(to, relative);
    if (entry.isDirectory()) {
      await mkdir(target, { recursive: true, mode: 0o700 });
    } else if (entry.isFile()) {
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const { sum, bytes } = await copyFile(path.join(from, relative), target);
      copied.sums.set(path.join(path.basename(from), relative), sum);
      copied.bytes += bytes;
    }
  }
  return copied;
}

type CopyFile = (from: string, to: string) => Promise<{ bytes: number; sum: string }>;

/** Copies one file after another, readable by its owner only. All go through one buffer: most files are much smaller than one. */
function fileCopier(signal: AbortSignal): CopyFile {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  return async (from, to) => {
    const hash = createHash("sha256");
    let bytes = 0;
    let source: FileHandle | null = null;
    let target: FileHandle | null = null;
    try {
      source = await open(from);
      // Opened after the source: a file that is gone leaves no empty copy.
      target = await open(to, "wx", 0o600);
      while (true) {
        signal.throwIfAborted();
        const { bytesRead } = await source.read(buffer, 0, buffer.length);
        if (bytesRead === 0) break;
        const chunk = buffer.subarray(0, bytesRead);
        hash.update(chunk);
        bytes += bytesRead;
        // Not write(): it may write a part only, as it does when the disk gets full.
        await target.writeFile(chunk);
      }
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      throw /^E(IO|ACCES|PERM|STALE|ROFS)$/.test(code) ? unusableFile(from, error as NodeJS.ErrnoException) : error;
    } finally {
      await source?.close();
      await target?.close();
    }
    return { bytes, sum: hash.digest("hex") };
  };
}

/** Returns when everything written to the disk of a folder is on it: thousands of small files at once, not one by one. */
export async function syncDisk(folder: string): Promise<void> {
  await promisify(execFile)("sync", ["-f", folder], { timeout: 3_600_000 });
}

/** Writes a small file, durably and completely or not at all; readable by its owner only. Returns its sum. */
export async function writeDurably(file: string, text: string): Promise<string> {
  const work = `${file}.new`;
  await rm(work, { force: true });
  // A new file, never one that a link leads to: the servers' account may write in some of these folders.
  const handle = await open(work, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(work, file);
  await syncFolder(path.dirname(file));
  return createHash("sha256").update(text).digest("hex");
}

/** Writes the list of files; `sha256sum --check SHA256SUMS` reads it too. */
export async function writeSums(folder: string, sums: ReadonlyMap<string, string>): Promise<void> {
  await writeDurably(path.join(folder, sumsName), [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join(""));
}

/** Refuses a copy that lacks a file of the list of its backup, or has another content of it. */
export async function assertSums(backup: string, copied: ReadonlyMap<string, string>): Promise<void> {
  const list = path.join(backup, sumsName);
  const text = await readFile(list, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw unusableFile(list, error);
  });
  const lines = text.split("\n").filter((line) => line !== "");
  for (const line of lines) {
    const [sum, file] = [line.slice(0, 64), line.slice(66)];
    const is = copied.get(file);
    if (is === sum) continue;
    throw new EmbeddedServerError(
      "backup_damaged",
      `${path.join(backup, file)} ${is === undefined ? "is missing" : "was changed after the backup"}.`,
      { hint: "Restore an earlier backup, or copy this one again from where it was made." },
    );
  }
}

/** Refuses a disk without room for the given bytes; the folder, or one above it, exists. */
export async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(await existing(folder));
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new EmbeddedServerError(
    "disk_full",
    `The disk that holds ${folder} has ${inMegabytes(free)} free, and ${inMegabytes(bytes)} are needed.`,
    { hint: "Free some space there, or name a folder on another disk." },
  );
}

async function existing(folder: string): Promise<string> {
  const isThere = await readdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
  return isThere ? folder : existing(path.dirname(folder));
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

function tablespace(file: string): EmbeddedServerError {
  return new EmbeddedServerError("backup_refused", `${file} is a link, so not all data are in the data folder.`, {
    hint: "Touchstone makes no tablespaces; back this server up with pg_basebackup.",
  });
}

/** A table was dropped meanwhile; the log contains that, too. */
function ignoreGone(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

function nothingIfGone(error: NodeJS.ErrnoException): [] {
  ignoreGone(error);
  return [];
}
