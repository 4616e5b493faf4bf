import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { unusableFile } from "./backup-failures.ts";
import type { Contents } from "./count-contents.ts";

/**
 * A folder of backups. All of them belong to one run of the archive, so the log has no gap between them:
 *
 *     base/2026-01-31T02-00-00.000Z/   one base backup: backup.json, SHA256SUMS, postgres/, secrets/
 *     wal/                             the archived log since the oldest of them
 */
export interface BackupSet {
  bases: string;
  archive: string;
}

export function backupSet(folder: string): BackupSet {
  return { bases: path.join(folder, "base"), archive: path.join(folder, "wal") };
}

/** The format of the folder. Another one is refused, because half of it might be understood. */
export const backupFormat = 1;

/** The content of `backup.json`, beside a base backup. */
export interface BaseBackup {
  format: typeof backupFormat;
  /** The major version of PostgreSQL. */
  postgres: number;
  startedAt: string;
  /** A restore reaches this time at least. */
  finishedAt: string;
  /** The archived log that the backup needs, from the first of its segments to the last. */
  firstSegment: string;
  lastSegment: string;
  /** The size of the data, without the log. */
  bytes: number;
  /** What was committed shortly before `finishedAt`. */
  contents: Contents;
}

/** The name of a base backup: its time in UTC, as a name that every file system takes. */
export function baseName(time: Date): string {
  return time.toISOString().replaceAll(":", "-");
}

/** A base backup that is being made or deleted. */
export function partialName(base: string): string {
  return `${base}.partial`;
}

/**
 * The complete base backups of a folder, oldest first; none if it holds no backups. Their order is that of the log: a clock may have
 * been wrong.
 */
export async function listBases({ bases }: BackupSet): Promise<{ folder: string; base: BaseBackup }[]> {
  const found: { folder: string; base: BaseBackup }[] = [];
  const names = await readdir(bases).catch((error: unknown) => absent(error, bases, []));
  for (const name of names.filter((each) => !each.endsWith(".partial")).sort()) {
    const folder = path.join(bases, name);
    const record = path.join(folder, "backup.json");
    const text = await readFile(record, "utf8").catch((error: unknown) => absent(error, record, null));
    if (text !== null) found.push({ folder, base: readRecord(record, text) });
  }
  return found.sort(
    ({ base: one }, { base: other }) =>
      Number(one.firstSegment > other.firstSegment) - Number(one.firstSegment < other.firstSegment),
  );
}

/** The record of a base backup, from its text. */
function readRecord(file: string, text: string): BaseBackup {
  let record: BaseBackup;
  try {
    record = JSON.parse(text) as BaseBackup;
  } catch (cause) {
    throw new EmbeddedServerError("backup_damaged", `${file} is damaged.`, {
      hint: "Copy it again from where it was made, or move this backup to another folder and use the others.",
      cause,
    });
  }
  if (record.format === backupFormat) return record;
  throw new EmbeddedServerError(
    "data_of_another_version",
    `${file} has the format ${record.format}, and this Touchstone reads the format ${backupFormat}.`,
    { hint: "Use the Touchstone version that made the backup, or a newer one." },
  );
}

function absent<Value>(error: unknown, file: string, value: Value): Value {
  const failure = error as NodeJS.ErrnoException;
  if (failure.code === "ENOENT" || failure.code === "ENOTDIR") return value;
  throw unusableFile(file, failure);
}
