import { chown, mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { explainBackupFailure } from "./backup-failures.ts";
import { type BackupSet, backupSet } from "./backup-set.ts";
import { areOnOneDisk, chooseTarget } from "./choose-target.ts";
import { assertRoom, writeDurably } from "./copy-files.ts";
import type { NewestRow } from "./count-contents.ts";
import { backupState, endArchive, listSegments, readArchive, startArchive } from "./log-archive.ts";
import { findRunningPostgres, type RunningPostgres } from "./running-postgres.ts";
import { removeOldBases, type TakenBackup, takeBase, untilArchived } from "./take-base.ts";

export interface BackupOptions {
  /** The home of a running standalone. */
  folder: string;
  /** An empty or new folder, or the one that this home's log is archived in. */
  to: string;
  /** How many base backups are kept, 1 or more; older ones and their log are deleted. Null = all. */
  keep: number | null;
  newestRow: NewestRow;
  onProgress: (message: string) => void;
  /** Ends the backup, which then rejects with the reason. */
  signal: AbortSignal;
}

/**
 * Takes a base backup of the PostgreSQL of a running home, with its secrets, and lets the server archive its log beside it
 * from then on: the backup restores to any moment after it. Fails with an `EmbeddedServerError`, and then leaves
 * earlier backups and their archive as they were.
 */
export async function backUpHome(options: BackupOptions): Promise<TakenBackup> {
  const { signal } = options;
  const postgres = await findRunningPostgres(options.folder);
  const session = await postgres.connect(signal);
  try {
    await assertOnly(session);
    return await backUp(session, postgres, options);
  } catch (error) {
    signal.throwIfAborted();
    throw explainBackupFailure(error, options.to);
  } finally {
    await session.end();
  }
}

/** Two at once would remove each other's files. The lock ends with the session. */
async function assertOnly(session: pg.Client): Promise<void> {
  const { rows } = await session.query<{ alone: boolean }>(
    "select pg_try_advisory_lock(hashtextextended('touchstone backup', 0)) as alone",
  );
  if (rows[0]?.alone === true) return;
  throw new EmbeddedServerError("backup_refused", "Another backup of this Touchstone is running.", {
    hint: "Wait until it has ended.",
  });
}

async function backUp(session: pg.Client, postgres: RunningPostgres, options: BackupOptions): Promise<TakenBackup> {
  const archived = await readArchive(postgres.servers);
  const { to, isNew } = await chooseTarget(options.to, postgres, archived);
  const set = backupSet(to);
  if (await areOnOneDisk(to, postgres.dataFolder)) {
    options.onProgress(`${to} is on the disk of the data, so the loss of that disk is the loss of both.`);
  }
  try {
    await assertRoom(to, await sizeOf(session));
    await mkdir(set.bases, { recursive: true, mode: 0o700 });
    if (isNew) await beginArchive(session, set, postgres);
    else await assertArchiveIsOlder(session, set.archive);
    const taken = await takeBase(session, set, postgres, options);
    const { finishedAt, bytes } = taken.base;
    // What metrics read.
    const last = { folder: to, finishedAt, bytes };
    await writeDurably(backupState(postgres.servers).last, `${JSON.stringify(last)}\n`);
    if (options.keep !== null) await removeOldBases(set, { keep: options.keep, onProgress: options.onProgress });
    return taken;
  } catch (error) {
    // A log without a base backup restores nothing and fills a disk.
    if (isNew) {
      await stopArchiving(postgres).catch(() => {});
      for (const folder of [set.bases, set.archive]) await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
    throw error;
  }
}

/**
 * A home that was put back to an earlier state writes segments again that the archive has with another content. Their
 * archiving fails, and a backup that finds the old ones would restore to nothing.
 */
async function assertArchiveIsOlder(session: pg.Client, archive: string): Promise<void> {
  const segments = await listSegments(archive);
  // One byte farther, because the place between two segments counts to the first one. Read after the list: an archived segment is always older.
  const { rows } = await session.query<{ current: string }>(
    "select pg_walfile_name(pg_current_wal_lsn() + 1::numeric) as current",
  );
  const current = rows[0]?.current ?? "";
  const later = segments.findLast((segment) => segment.slice(0, 8) === current.slice(0, 8) && segment >= current);
  if (later === undefined) return;
  throw new EmbeddedServerError(
    "backup_refused",
    `${archive} has the segment ${later} of the log, and this PostgreSQL has only reached ${current}.`,
    {
      hint: "SERVICE_HOME was put back to an earlier state. Run npm run backup -- --end, and back up into an empty folder.",
    },
  );
}

/** Ends the archive of a running home. Backups stay, and restore to any moment until now. Null: there was no archive. */
export async function endBackups(folder: string, signal: AbortSignal): Promise<string | null> {
  const postgres = await findRunningPostgres(folder);
  const archived = await readArchive(postgres.servers);
  if (archived === null) return null;
  const session = await postgres.connect(signal);
  try {
    await assertOnly(session);
    await untilNowArchived(session, postgres, { archive: archived, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await session.end();
  }
  return path.dirname(archived);
}

/** Not in an archive that is gone, which is why some end it. */
async function untilNowArchived(
  session: pg.Client,
  postgres: RunningPostgres,
  { archive, signal }: { archive: string; signal: AbortSignal },
): Promise<void> {
  try {
    if ((await stat(archive).catch(() => null)) === null) return;
    // The end of the log is the beginning of the next segment, so its last byte names the one to wait for.
    const { rows } = await session.query<{ file: string }>(
      "select pg_walfile_name(pg_switch_wal() - 1::numeric) as file",
    );
    await untilArchived(session, postgres, { archive, segment: rows[0]?.file ?? "", signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new EmbeddedServerError(
      "backup_refused",
      `The archive in ${archive} is ended, but it lacks the end of the log.`,
      {
        hint: "Its backups restore to a moment before. logs/postgres.log in SERVICE_HOME says why the rest was not archived.",
        cause: error,
      },
    );
  } finally {
    if (!signal.aborted) await stopArchiving(postgres);
  }
}

async function sizeOf(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ bytes: string }>(
    "select sum(pg_database_size(oid)) as bytes from pg_database",
  );
  // What the services write meanwhile goes into the archive.
  return Number(rows[0]?.bytes) + 100_000_000;
}

async function beginArchive(session: pg.Client, { archive }: BackupSet, { servers, owner }: RunningPostgres) {
  await mkdir(archive, { mode: 0o700 });
  await chown(archive, owner.uid, owner.gid);
  await startArchive(servers, archive, owner);
  // What is acknowledged is in the archive a minute later. Without an archive each segment is filled first.
  await session.query("alter system set archive_timeout = '60s'");
  await session.query("select pg_reload_conf()");
}

/** On a new connection: the one of the backup may be gone. */
async function stopArchiving(postgres: RunningPostgres): Promise<void> {
  await endArchive(postgres.servers);
  const client = await postgres.connect();
  try {
    await client.query("alter system reset archive_timeout");
    await client.query("select pg_reload_conf()");
  } finally {
    await client.end();
  }
}
