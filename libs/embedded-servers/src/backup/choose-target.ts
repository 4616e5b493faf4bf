import { chmod, chown, mkdir, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { canEnter, type ServerAccount } from "../server-account.ts";
import type { RunningPostgres } from "./running-postgres.ts";

/** The folder of a backup, made and closed to others; whether a new run of the archive begins there. */
export async function chooseTarget(
  given: string,
  { home, servers, owner }: RunningPostgres,
  archived: string | null,
): Promise<{ to: string; isNew: boolean }> {
  const real = await withoutLinks(given);
  if ([home, servers].some((folder) => isInside(folder, real))) {
    throw new EmbeddedServerError("backup_refused", `${given} is inside the folder that is backed up.`, {
      hint: "Name a folder elsewhere, best on another disk.",
    });
  }
  if (archived !== null) return { to: await assertArchived(real, archived), isNew: false };
  const names = await readdir(real).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new EmbeddedServerError("backup_refused", `${given} cannot be used as a folder (${error.code}).`, {
      hint: "Name a folder that this user may write; it is made when it does not exist.",
      cause: error,
    });
  });
  if (names.some((name) => name !== "lost+found")) {
    throw new EmbeddedServerError("backup_refused", `${given} is not empty.`, {
      hint: "Name an empty folder or one that does not exist: the log of two archives does not fit together.",
    });
  }
  await mkdir(real, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(real, 0, owner.gid);
  await chmod(real, isRoot ? 0o710 : 0o700);
  if (isRoot && !(await canEnter(real, owner as ServerAccount))) {
    throw new EmbeddedServerError("backup_refused", `The servers' user (id ${owner.uid}) cannot enter ${real}.`, {
      hint: "It writes the archive of the log. Name a folder below one that everyone may enter.",
    });
  }
  return { to: real, isNew: true };
}

/** Whether two folders are on one disk, so that its loss is the loss of both. */
export async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  return (await stat(one)).dev === (await stat(other)).dev;
}

/** Only one archive has the whole log, so backups go where it is. */
async function assertArchived(real: string, archived: string): Promise<string> {
  const to = path.dirname(archived);
  const isThere = (await stat(archived).catch(() => null)) !== null;
  if (isThere && real === to) return to;
  throw new EmbeddedServerError(
    "backup_refused",
    isThere ? `The log of this Touchstone is archived in ${to}.` : `${archived} is gone, where the log is archived.`,
    {
      hint: `${isThere ? `Name ${to}` : "Mount its disk"}, or end that archive with npm run backup -- --end and name an empty folder.`,
    },
  );
}

/** The path with every link followed, of a folder that need not exist. */
async function withoutLinks(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => null);
  return real ?? path.join(await withoutLinks(path.dirname(folder)), path.basename(folder));
}

function isInside(folder: string, file: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}
