import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, lchown, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { explainPostgresFailure } from "./explain-postgres-failure.ts";
import { explainSpawnFailure } from "./explain-spawn-failure.ts";
import type { ServerAccount } from "./server-account.ts";
import { type ProcessExit, serverEnvironment } from "./server-process.ts";

export interface NewCluster {
  /** Holds bin, lib and share. */
  binaries: string;
  /** Must not exist yet; its parent must. */
  dataFolder: string;
  account: ServerAccount | null;
  /** Password of the superuser `postgres`. Null: any client on the port is admitted, for throw-away clusters only. */
  password: string | null;
  /** Whether everything is synced to disk before this returns. */
  isDurable: boolean;
  /** Receives the process id of initdb. */
  onSpawn?: ((pid: number) => Promise<void>) | undefined;
}

/**
 * Creates a PostgreSQL cluster: UTF-8 with the built-in C.UTF-8 locale, so that sorting never changes with the
 * operating system while lower() knows non-ASCII letters. It is created under another name and renamed when
 * complete: a folder named `dataFolder` is always a complete cluster, even after a kill.
 */
export async function createCluster({
  binaries,
  dataFolder,
  account,
  password,
  isDurable,
  onSpawn,
}: NewCluster): Promise<void> {
  const parent = path.dirname(dataFolder);
  const work = path.join(parent, `${path.basename(dataFolder)}.${randomBytes(6).toString("hex")}.partial`);
  const data = path.join(work, "data");
  const passwordFile = path.join(work, "password");
  try {
    await mkdir(work, { mode: 0o700 });
    await mkdir(data, { mode: 0o700 });
    if (password !== null) await writeFile(passwordFile, password, { mode: 0o600 });
    if (account) {
      // initdb may have to run as `nobody`, which other programs share. Only our group may enter the folder around the
      // cluster, and of all processes of `nobody` only initdb has that group, so no other one can access it.
      await chown(work, 0, account.gid);
      await chmod(work, 0o710);
      await chown(data, account.initdbUid, account.gid);
      if (password !== null) await chown(passwordFile, account.initdbUid, account.gid);
    }
    await runInitdb({
      executable: path.join(binaries, "bin", "initdb"),
      options: [
        `--pgdata=${data}`,
        "--username=postgres",
        ...(password === null ? ["--auth=trust"] : ["--auth=scram-sha-256", `--pwfile=${passwordFile}`]),
        "--encoding=UTF8",
        "--locale=C",
        "--lc-ctype=C.UTF-8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        ...(isDurable ? [] : ["--no-sync"]),
      ],
      account,
      onSpawn,
    });
    if (account) await chownTree(data, account);
    await rename(data, dataFolder);
    if (isDurable) await syncFolder(parent);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Removes the remains of an interrupted `createCluster` of the same data folder. No other process may be creating one.
 */
export async function removePartialClusters(dataFolder: string): Promise<void> {
  const parent = path.dirname(dataFolder);
  const names = await readdir(parent);
  const leftOver = names.filter(
    (name) => name.startsWith(`${path.basename(dataFolder)}.`) && name.endsWith(".partial"),
  );
  for (const name of leftOver) await rm(path.join(parent, name), { recursive: true, force: true, maxRetries: 20 });
}

async function runInitdb({
  executable,
  options,
  account,
  onSpawn,
}: {
  executable: string;
  options: readonly string[];
  account: ServerAccount | null;
  onSpawn: ((pid: number) => Promise<void>) | undefined;
}): Promise<void> {
  const child = spawn(executable, options, {
    ...(account && { uid: account.initdbUid, gid: account.gid }),
    cwd: "/",
    env: serverEnvironment,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    // It takes a second; a slow disk under load may need a minute for the sync of its 1,000 files.
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once("error", (error) => reject(explainSpawnFailure(error, { executable, account })));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  if (child.pid !== undefined) await onSpawn?.(child.pid);
  const [exit, output] = await Promise.all([exited, text(child.stderr)]);
  if (exit.code !== 0) throw explainPostgresFailure(output, exit);
}

/** Gives a folder and everything below it to an account. */
export async function chownTree(folder: string, { uid, gid }: ServerAccount): Promise<void> {
  await lchown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(path.join(entry.parentPath, entry.name), uid, gid);
  }
}

/** Returns when the names in a folder are on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
