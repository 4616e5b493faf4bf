import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readlink, realpath, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { openHome, type TouchstoneHome } from "../home.ts";
import { lockFileName, lockHome } from "../home-lock.ts";
import { locatePostgres } from "../locate-binaries.ts";
import { chownTree, syncFolder } from "../postgres-cluster.ts";
import { stopPostgres } from "../postgres-server.ts";
import { readSecret } from "../secret-file.ts";
import { canEnter } from "../server-account.ts";
import { unusableFile } from "./backup-failures.ts";
import { type BaseBackup, backupSet, listBases } from "./backup-set.ts";
import { assertRoom, assertSums, copyFolder, syncDisk } from "./copy-files.ts";
import { type Contents, countContents, findLosses, type NewestRow } from "./count-contents.ts";
import { findGap, listSegments, readReachedSegment, segmentBytes } from "./log-archive.ts";
import { type ArchivedLog, missingSegment, replayLog } from "./replay-log.ts";
import { connectSuperuser } from "./running-postgres.ts";
import { beginRestore, endRestore, isRestoreUnfinished, restoreMark } from "./unfinished-restore.ts";

export interface RestoreOptions {
  /** A home that does not exist or is empty. */
  folder: string;
  /** A folder of backups. */
  from: string;
  /** The moment to restore; what was committed later is left out. Null = the end of the archived log. */
  until: Date | null;
  newestRow: NewestRow;
  /** Tables that should not be empty when they were not in the backup: rows leave them only when a user deletes them. */
  keptTables: readonly string[];
  onProgress: (message: string) => void;
  /** Ends the restore, which then rejects with the reason. */
  signal: AbortSignal;
}

export interface RestoredHome {
  base: BaseBackup;
  now: Contents;
  /** What the backup has and the restored home lacks, as sentences; none when the check found everything. */
  losses: string[];
}

/** What is restored: a base backup, its log, and the last segment that the archive had of it. */
interface Source {
  folder: string;
  base: BaseBackup;
  log: ArchivedLog;
  lastSegment: string;
}

/**
 * Restores a base backup and the archived log into an empty home, which is then started as any other. Fails with an
 * `EmbeddedServerError`, and then leaves the home as empty as it was. After a kill the home does not start, and
 * a restore begins again.
 */
export async function restoreHome(options: RestoreOptions): Promise<RestoredHome> {
  const { folder, onProgress, signal } = options;
  const isAgain = await assertEmpty(folder);
  const source = await openSource(options);
  signal.throwIfAborted();

  const home = await openHome({ folder, onProgress });
  let isComplete = false;
  const close = (): void => void home.close();
  signal.addEventListener("abort", close);
  try {
    await assertUnused(home, isAgain);
    // While the home is locked still.
    home.beforeClose(async () => {
      if (!isComplete) await empty(home);
    });
    return await home.start(async () => {
      const restored = await restoreInto(home, source, options);
      // In here: a close waits for this work alone, and would empty the home before the next line out there runs.
      isComplete = true;
      return restored;
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    await home.close();
  }
}

/** Whether it holds what an interrupted restore left, which may be deleted. */
async function assertEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new EmbeddedServerError("backup_refused", `${folder} cannot be used as a folder (${error.code}).`, {
      hint: "Set SERVICE_HOME to a folder that is empty or does not exist.",
      cause: error,
    });
  });
  if (names.length === 0) return false;
  const servers = await readlink(path.join(folder, "servers")).catch(() => folder);
  if ((await lstat(path.join(servers, lockFileName)).catch(() => null)) !== null) {
    // It throws when a Touchstone runs there.
    (await lockHome(servers, { name: folder }))();
  }
  if (await isRestoreUnfinished(folder)) return true;
  throw new EmbeddedServerError("backup_refused", `${folder} is not empty.`, {
    hint: "Set SERVICE_HOME to a folder that is empty or does not exist; a restore replaces nothing.",
  });
}

/** Looks again under the lock: a Touchstone may have been started there, and stopped, meanwhile. */
async function assertUnused(home: TouchstoneHome, isAgain: boolean): Promise<void> {
  const { folders } = home;
  const secrets = path.join(folders.home, "secrets");
  if (isAgain && (await isRestoreUnfinished(folders.home))) {
    home.onProgress(`A restore into ${folders.home} was interrupted; it begins again.`);
    for (const name of (await readdir(folders.servers)).filter((each) => !isOfEveryHome(each))) {
      await rm(path.join(folders.servers, name), { recursive: true, force: true });
    }
    for (const name of await readdir(secrets)) await rm(path.join(secrets, name));
  }
  const names = [...(await readdir(folders.servers)), ...(await readdir(secrets))];
  if (names.every(isOfEveryHome)) return;
  throw new EmbeddedServerError("backup_refused", `${folders.home} was used meanwhile.`, {
    hint: "Set SERVICE_HOME to a folder that nothing else uses; a restore replaces nothing.",
  });
}

/** What an opened home has before anything is started in it. */
function isOfEveryHome(name: string): boolean {
  return name.startsWith("touchstone.") || name === "secrets" || name === restoreMark;
}

/** Everything that can be refused before the home is touched. */
async function openSource({ folder, from: given, until }: RestoreOptions): Promise<Source> {
  const from = await realpath(given).catch(() => given);
  const { archive } = backupSet(from);
  const chosen = await chooseBase(from, until);
  const { base } = chosen;
  await assertSameMajor(base);
  const segments = await listSegments(archive).catch((error: NodeJS.ErrnoException) => {
    throw unusableFile(archive, error);
  });
  const gap = findGap(segments, base.firstSegment);
  // A moment before the gap can be restored.
  if (gap !== null && (until === null || gap <= base.lastSegment)) throw missingSegment(archive, gap);
  const logBytes = Number(segmentBytes) * segments.filter((segment) => segment >= base.firstSegment).length;
  // Recovery keeps some of the log beside the data.
  await assertRoom(folder, base.bytes + Math.min(logBytes, 2_000_000_000));
  return { ...chosen, log: { archive, until, gap }, lastSegment: segments.at(-1) ?? base.lastSegment };
}

/** The newest base backup that ended before the moment. */
async function chooseBase(from: string, until: Date | null): Promise<{ folder: string; base: BaseBackup }> {
  const bases = await listBases(backupSet(from));
  const [oldest] = bases;
  if (oldest === undefined) {
    throw new EmbeddedServerError("backup_refused", `${from} holds no backup.`, {
      hint: "Name the folder that was given to the backup as --to.",
    });
  }
  if (until === null) return bases.at(-1) ?? oldest;
  if (until.getTime() > Date.now()) {
    throw new EmbeddedServerError("backup_refused", `${until.toISOString()} is in the future.`, {
      hint: "Name an earlier moment, or leave out --until to restore everything that was archived.",
    });
  }
  const chosen = bases.findLast(({ base }) => Date.parse(base.finishedAt) <= until.getTime());
  if (chosen !== undefined) return chosen;
  throw new EmbeddedServerError("backup_refused", `No backup in ${from} is as old as ${until.toISOString()}.`, {
    hint: `The oldest one restores ${oldest.base.finishedAt} and every later moment.`,
  });
}

async function assertSameMajor(base: BaseBackup): Promise<void> {
  const major = Number.parseInt((await locatePostgres()).version, 10);
  if (base.postgres === major) return;
  throw new EmbeddedServerError(
    "data_of_another_version",
    `The backup is of PostgreSQL ${base.postgres}, and this Touchstone has PostgreSQL ${major}.`,
    { hint: "Restore it with the Touchstone version that made it, dump the database there, and load the dump here." },
  );
}

async function restoreInto(
  home: TouchstoneHome,
  { folder: backup, base, log, lastSegment }: Source,
  options: RestoreOptions,
): Promise<RestoredHome> {
  const { onProgress, signal } = options;
  const { servers } = home.folders;
  if (home.account !== null && !(await canEnter(log.archive, home.account))) {
    throw new EmbeddedServerError(
      "backup_refused",
      `The servers' user (id ${home.account.uid}) cannot enter ${log.archive}.`,
      {
        hint: `It reads the archived log. Run: chown -R ${home.account.uid}:${home.account.gid} ${log.archive}, and let everyone enter the folders above it.`,
      },
    );
  }
  await beginRestore(home.folders.home);
  // Under another name until it is complete: a start would take it for the data otherwise.
  const work = path.join(servers, `postgres.${randomBytes(6).toString("hex")}.partial`);
  const data = path.join(work, "data");
  onProgress(`Copying the backup of ${base.finishedAt}.`);
  await mkdir(work, { mode: 0o700 });
  const copied = await copyFolder(path.join(backup, "postgres"), data, signal);
  const secrets = await copyFolder(path.join(backup, "secrets"), path.join(home.folders.home, "secrets"), signal);
  await assertSums(backup, new Map([...copied.sums, ...secrets.sums]));
  await writeFile(path.join(data, "recovery.signal"), "");
  if (home.account !== null) {
    await chownTree(work, home.account);
    await chmod(work, 0o700);
  }

  onProgress(`PostgreSQL replays the archived log${log.until === null ? "" : ` until ${log.until.toISOString()}`}.`);
  const { server, port } = await replayLog(home, data, log);
  let checked: Omit<RestoredHome, "base">;
  try {
    const password = await readSecret(path.join(home.folders.home, "secrets", "postgres-superuser"));
    const client = await connectSuperuser({ port, password: password ?? "", signal });
    checked = await check(client, { ...options, base, lastSegment: log.until === null ? lastSegment : null }).finally(
      () => client.end(),
    );
  } finally {
    await stopPostgres(server);
    await home.guard("postgres", null);
  }
  signal.throwIfAborted();
  onProgress("Writing the data to disk.");
  await syncDisk(work);
  await rename(data, path.join(servers, "postgres"));
  await rm(work, { recursive: true });
  await syncFolder(servers);
  await endRestore(home.folders.home);
  return { base, ...checked };
}

/** Compares the restored server with its backup, and how far it read the log with `lastSegment`, if it should read it all. */
async function check(
  client: pg.Client,
  {
    base,
    lastSegment,
    ...looks
  }: Pick<RestoreOptions, "newestRow" | "keptTables"> & { base: BaseBackup; lastSegment: string | null },
): Promise<Omit<RestoredHome, "base">> {
  // The restored home archives nothing until it is backed up itself.
  await client.query("alter system reset archive_timeout");
  const { rows } = await client.query<{ history: string }>(
    "select pg_read_file(format('pg_wal/%s.history', left(pg_walfile_name(pg_current_wal_lsn()), 8))) as history",
  );
  const reached = readReachedSegment(rows[0]?.history ?? "");
  const now = await countContents(client, looks.newestRow);
  const losses = await findLosses(client, looks, { before: base.contents, now });
  if (lastSegment !== null && reached < lastSegment) {
    losses.push(`The log was replayed to segment ${reached} only, and the archive has ${lastSegment}.`);
  }
  return { now, losses };
}

async function empty({ folders: { home, servers } }: TouchstoneHome): Promise<void> {
  if (servers !== home) await rm(servers, { recursive: true, force: true });
  for (const name of await readdir(home)) await rm(path.join(home, name), { recursive: true, force: true });
}
