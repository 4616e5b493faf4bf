import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../../integration/src/wait-until.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** The archive of a server's write-ahead log (docs/operating/backup.md). */
export interface LogArchive {
  /** The settings of the server that archives. */
  settings: Readonly<Record<string, string>>;
  /** The settings of a server that is started from a backup. */
  restoreSettings: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function makeLogArchive(): Promise<LogArchive> {
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-archive-"));
  // The servers run under a separate account.
  await chmod(folder, 0o777);
  return {
    settings: { archive_mode: "on", archive_command: `test ! -f ${folder}/%f && cp %p ${folder}/%f` },
    restoreSettings: { restore_command: `cp ${folder}/%f %p` },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Resolves when everything committed so far is in the archive. */
export async function archiveUntilNow(postgres: PostgresServer): Promise<void> {
  const { rows } = await postgres.query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
  await waitUntil("the log is archived", async () => {
    const archived = await postgres.query<{ last: string }>("select last_archived_wal as last from pg_stat_archiver");
    return (archived.rows[0]?.last ?? "") >= (rows[0]?.file as string);
  });
}

/**
 * A base backup of a running server, as pg_basebackup makes one: its files are copied while they change. The log that
 * repairs them is in the archive. The caller removes the folder.
 */
export async function takeBaseBackup(postgres: PostgresServer): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), "touchstone-chaos-backup-"));
  const session = await postgres.connect();
  try {
    await session.query("select pg_backup_start('backup', true)");
    await copyTree(postgres.dataFolder, copy);
    const { rows } = await session.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
    await writeFile(path.join(copy, "backup_label"), rows[0]?.labelfile ?? "");
    await writeFile(path.join(copy, "recovery.signal"), "");
  } finally {
    await session.end();
  }
  return copy;
}

/** Files that describe the running process, not the data; of the log, only the folder. */
const notCopied = new Set(["postmaster.pid", "postmaster.opts"]);
const emptied = new Set(["pg_wal", "pg_replslot", "pg_stat_tmp", "pg_notify", "pg_dynshmem"]);

async function copyTree(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target);
      if (!emptied.has(entry.name)) await copyTree(source, target);
    } else if (!notCopied.has(entry.name)) {
      await copyFile(source, target).catch(ignoreGone);
    }
  }
}

/** A table was dropped meanwhile; the log contains that, too. */
function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
