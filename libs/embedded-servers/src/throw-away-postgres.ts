import { chmod, chown, cp, lchown, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGuardian } from "./guardian.ts";
import { launchOnFreePort } from "./launch-on-free-port.ts";
import { locatePostgres } from "./locate-binaries.ts";
import { createCluster } from "./postgres-cluster.ts";
import { launchPostgres, stopPostgres } from "./postgres-server.ts";
import { canEnter, chooseServerAccount, type ServerAccount } from "./server-account.ts";
import type { ServerProcess } from "./server-process.ts";
import { stagePostgres } from "./stage-binaries.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { assertTrusted } from "./trusted-files.ts";

export interface ThrowAwayPostgres {
  /** The URL of the superuser `postgres` and its database; there is no password. */
  url: string;
  port: number;
  dataFolder: string;
  logFile: string;
  /** The id of the current process; a new one after a restart. */
  readonly pid: number;
  /** Resolves when the current process has ended. */
  readonly exited: Promise<unknown>;
  /** Restarts it on the same port and data; a running one is stopped first. */
  restart(): Promise<void>;
  /** Stops the server and deletes its data. May be called twice. */
  stop(): Promise<void>;
}

export interface ThrowAwayPostgresOptions {
  connectionsMax?: number;
  /** Default: one that is free now. Another program may take it while the server is stopped. */
  port?: number;
  /** Settings besides the defaults, which trade durability for speed. */
  settings?: Readonly<Record<string, string>>;
  /** An existing folder for the data, a small file system for instance. Default: a temporary one. */
  dataParent?: string;
  /** A base backup whose copy is started. Default: an empty cluster. */
  backup?: string;
  /** An existing folder for the write-ahead log. Default: within the data. */
  walParent?: string;
}

/**
 * A PostgreSQL for tests: in a temporary folder, open to everyone on this machine, and without fsync. It keeps its data
 * when its process is killed, but not when the machine crashes. It ends with this process, however that ends.
 */
export async function startThrowAwayPostgres(options: ThrowAwayPostgresOptions = {}): Promise<ThrowAwayPostgres> {
  const { connectionsMax = 100, settings = {} } = options;
  const account = await chooseServerAccount();
  const temporary = await temporaryFolder(account);
  const binFolder = await sharedBinFolder(temporary);
  const binaries = await stagePostgres(await locatePostgres(), binFolder);
  await assertTrusted(binaries, { root: path.dirname(binFolder) });
  const folder = await makeTemporaryFolder(temporary, { prefix: "touchstone-postgres" });
  const guardian = startGuardian();
  const logFile = path.join(folder, "postgres.log");
  const dataFolder = path.join(options.dataParent ?? folder, "data");
  const clean = async () => {
    guardian.dismiss();
    await rm(folder, { recursive: true, force: true });
  };

  try {
    for (const parent of [folder, options.dataParent, options.walParent]) {
      if (parent !== undefined) await admit(parent, account);
    }
    if (options.backup === undefined) {
      await createCluster({ binaries, dataFolder, account, password: null, isDurable: false });
    } else {
      await cp(options.backup, dataFolder, { recursive: true });
      await giveTo(account, dataFolder);
    }
    if (options.walParent !== undefined) await moveWal(dataFolder, options.walParent, account);
    const launch = (port: number): Promise<ServerProcess> =>
      launchPostgres({
        binaries,
        dataFolder,
        account,
        port,
        logFile,
        onSpawn: (pid) => guardian.watch([{ pid, politeSignal: "INT", forcefulSignal: "QUIT" }]),
        settings: {
          max_connections: String(connectionsMax),
          fsync: "off",
          full_page_writes: "off",
          jit: "off",
          log_checkpoints: "off",
          ...settings,
        },
      });
    const { port, ...launched } = await launchOnFreePort(launch, options.port);
    let { server } = launched;
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      dataFolder,
      logFile,
      get pid() {
        return server.pid;
      },
      get exited() {
        return server.exited;
      },
      async restart() {
        await stopPostgres(server);
        server = await launch(port);
      },
      async stop() {
        await stopPostgres(server);
        await clean();
      },
    };
  } catch (error) {
    await clean();
    throw error;
  }
}

/** Lets only the servers' account traverse one of our folders. */
async function admit(folder: string, account: ServerAccount | null): Promise<void> {
  if (account === null) return;
  await chown(folder, 0, account.gid);
  await chmod(folder, 0o710);
}

/** Like `initdb --waldir`, afterwards. */
async function moveWal(dataFolder: string, walParent: string, account: ServerAccount | null): Promise<void> {
  const [before, after] = [path.join(dataFolder, "pg_wal"), path.join(walParent, "pg_wal")];
  await cp(before, after, { recursive: true });
  await giveTo(account, after);
  await rm(before, { recursive: true });
  await symlink(after, before);
}

/** Lets only the servers' account use a folder. */
async function giveTo(account: ServerAccount | null, folder: string): Promise<void> {
  await chmod(folder, 0o700);
  if (account === null) return;
  for (const name of ["", ...(await readdir(folder, { recursive: true }))]) {
    await lchown(path.join(folder, name), account.uid, account.gid);
  }
}

/** A folder for temporary files that the servers' account can reach: TMPDIR may be inside a private home. */
async function temporaryFolder(account: ServerAccount | null): Promise<string> {
  const preferred = tmpdir();
  return account === null || (await canEnter(preferred, account)) ? preferred : "/tmp";
}

/** Copies of the binaries, shared by all throw-away servers of this user, so that only the first start creates them. */
async function sharedBinFolder(temporary: string): Promise<string> {
  const root = path.join(temporary, `touchstone-servers-${process.getuid?.() ?? 0}`);
  const bin = path.join(root, "bin");
  await mkdir(bin, { recursive: true, mode: 0o755 });
  if ((await stat(root)).uid === process.getuid?.()) {
    await chmod(root, 0o755);
    await chmod(bin, 0o755);
  }
  return bin;
}
