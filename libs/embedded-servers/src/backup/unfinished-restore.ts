import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { syncFolder } from "../postgres-cluster.ts";
import { writeDurably } from "./copy-files.ts";

/** Marks a home from before its first file is restored until it is complete. */
export const restoreMark = "restore-unfinished";

export async function beginRestore(home: string): Promise<void> {
  await writeDurably(path.join(home, restoreMark), "npm run restore removes this file when it is done.\n");
}

export async function endRestore(home: string): Promise<void> {
  await rm(path.join(home, restoreMark));
  await syncFolder(home);
}

/** Whether a restore into a folder was killed. What is there is only what it copied. */
export async function isRestoreUnfinished(home: string): Promise<boolean> {
  return (await stat(path.join(home, restoreMark)).catch(() => null)) !== null;
}

/** Refuses to start a home that was restored in part: it would begin with an empty database. */
export async function assertRestored(home: string): Promise<void> {
  if (!(await isRestoreUnfinished(home))) return;
  throw new EmbeddedServerError("home_not_usable", `The restore into ${home} was interrupted.`, {
    hint: "Repeat npm run restore with the same SERVICE_HOME; it begins again.",
  });
}
