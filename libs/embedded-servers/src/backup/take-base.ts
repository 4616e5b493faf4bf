import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { syncFolder } from "../postgres-cluster.ts";
import { type BackupSet, type BaseBackup, backupFormat, baseName, listBases, partialName } from "./backup-set.ts";
import { copyFolder, copyRunningCluster, syncDisk, writeDurably, writeSums } from "./copy-files.ts";
import { type Contents, countContents, type NewestRow } from "./count-contents.ts";
import { readArchive, removeSegmentsBefore } from "./log-archive.ts";
import type { RunningPostgres } from "./running-postgres.ts";

export interface TakenBackup {
  folder: string;
  base: BaseBackup;
  /** Whether the backup holds the secret that encrypts keys; it is the operator's where he sets it. */
  hasRootSecret: boolean;
}

/**
 * Copies the data and the secrets of a running home into a new folder, which has its name once it is complete and on
 * disk, with all the log it needs in the archive. The session has the backup and must stay open.
 */
export async function takeBase(
  session: pg.Client,
  set: BackupSet,
  postgres: RunningPostgres,
  options: { newestRow: NewestRow; onProgress: (message: string) => void; signal: AbortSignal },
): Promise<TakenBackup> {
  const { onProgress, signal } = options;
  await removePartial(set);
  const startedAt = new Date();
  const folder = path.join(set.bases, baseName(startedAt));
  const work = partialName(folder);
  await mkdir(work, { mode: 0o700 });
  try {
    onProgress("PostgreSQL writes a checkpoint.");
    const started = await session.query<{ segment: string }>(
      "select pg_walfile_name(pg_backup_start('touchstone', true)) as segment",
    );
    onProgress(`Copying the data to ${folder}.`);
    const copied = await copyRunningCluster(postgres.dataFolder, path.join(work, "postgres"), signal);
    const contents = await countIn(postgres, options);
    const stopped = await session.query<{ segment: string; label: string }>(
      "select pg_walfile_name(lsn - 1::numeric) as segment, labelfile as label from pg_backup_stop(false)",
    );
    const { segment: lastSegment = "", label = "" } = stopped.rows[0] ?? {};
    // Without it PostgreSQL would take the copy for a server that crashed, and begin the log too late.
    const labelFile = path.join("postgres", "backup_label");
    copied.sums.set(labelFile, await writeDurably(path.join(work, labelFile), label));
    onProgress("Waiting until the log is archived.");
    await untilArchived(session, postgres, { archive: set.archive, segment: lastSegment, signal });

    const secrets = await copyFolder(path.join(postgres.home, "secrets"), path.join(work, "secrets"), signal);
    await writeSums(work, new Map([...copied.sums, ...secrets.sums]));
    const base: BaseBackup = {
      format: backupFormat,
      postgres: Number.parseInt(await readFile(path.join(work, "postgres", "PG_VERSION"), "utf8"), 10),
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      firstSegment: started.rows[0]?.segment ?? "",
      lastSegment,
      bytes: copied.bytes,
      contents,
    };
    await writeDurably(path.join(work, "backup.json"), `${JSON.stringify(base, null, 2)}\n`);
    await syncDisk(work);
    signal.throwIfAborted();
    await rename(work, folder);
    await syncFolder(set.bases);
    return { folder, base, hasRootSecret: secrets.sums.has(path.join("secrets", "root")) };
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}

/** What a backup or a deletion left that was killed. */
async function removePartial({ bases }: BackupSet): Promise<void> {
  for (const name of await readdir(bases)) {
    if (name.endsWith(".partial")) await rm(path.join(bases, name), { recursive: true, force: true });
  }
}

/** On a second connection: the first one must not fail before it ended the backup. */
async function countIn(
  postgres: RunningPostgres,
  { newestRow, signal }: { newestRow: NewestRow; signal: AbortSignal },
): Promise<Contents> {
  const client = await postgres.connect(signal);
  return countContents(client, newestRow).finally(() => client.end());
}

/** A slow disk writes a segment within seconds; the archive may have some to catch up with. */
const archivedWithinMs = 300_000;

/** Returns when the archive has a segment, and thereby all before it. */
export async function untilArchived(
  session: pg.Client,
  { servers }: RunningPostgres,
  { archive, segment, signal }: { archive: string; segment: string; signal: AbortSignal },
): Promise<void> {
  const wanted = `${segment}.gz`;
  const deadline = Date.now() + archivedWithinMs;
  while (!(await readdir(archive)).includes(wanted)) {
    if ((await readArchive(servers)) !== archive) {
      throw new EmbeddedServerError("backup_refused", `PostgreSQL gave up the archive of its log in ${archive}.`, {
        hint: "It could not write there. logs/postgres.log in SERVICE_HOME says why; repair it, and back up into an empty folder.",
      });
    }
    if (Date.now() > deadline) {
      const { rows } = await session.query<{ failed: string | null }>(
        "select last_failed_wal as failed from pg_stat_archiver",
      );
      throw new EmbeddedServerError("backup_refused", `PostgreSQL does not archive its log in ${archive}.`, {
        hint: `The segment ${rows[0]?.failed ?? segment} is missing; logs/postgres.log in SERVICE_HOME has the reason.`,
      });
    }
    await sleep(100, undefined, { signal });
  }
}

/** Deletes all base backups but the newest ones, and the log that only they need. */
export async function removeOldBases(
  set: BackupSet,
  { keep, onProgress }: { keep: number; onProgress: (message: string) => void },
): Promise<void> {
  const bases = await listBases(set);
  const [oldest] = bases.slice(-keep);
  if (oldest === undefined) return;
  for (const { folder } of bases.slice(0, -keep)) {
    // Half of a backup never has the name of one.
    await rename(folder, partialName(folder));
    await rm(partialName(folder), { recursive: true, force: true });
    onProgress(`Deleted ${folder}.`);
  }
  await removeSegmentsBefore(set.archive, oldest.base.firstSegment);
}
