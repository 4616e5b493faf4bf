import { chmod, chown, mkdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "./free-port.ts";
import { startGuardian } from "./guardian.ts";
import { locatePostgres } from "./locate-binaries.ts";
import { createCluster } from "./postgres-cluster.ts";
import { launchPostgres, stopPostgres } from "./postgres-server.ts";
import { canEnter, chooseServerAccount, type ServerAccount } from "./server-account.ts";
import { stagePostgres } from "./stage-binaries.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";
import { assertTrusted } from "./trusted-files.ts";

export interface ThrowAwayPostgres {
  /** Of the superuser `postgres` and its database; there is no password. */
  url: string;
  port: number;
  pid: number;
  /** Stops the server and deletes its data. May be called twice. */
  stop(): Promise<void>;
}

/**
 * A PostgreSQL for tests: in a temporary folder, open to everyone on this machine, and without fsync. It keeps its data
 * when its process is killed, but not when the machine is. Gone when this process ends, however it ends.
 */
export async function startThrowAwayPostgres({
  connectionsMax = 100,
}: {
  connectionsMax?: number;
} = {}): Promise<ThrowAwayPostgres> {
  const account = await chooseServerAccount();
  const temporary = await temporaryFolder(account);
  const binFolder = await sharedBinFolder(temporary);
  const binaries = await stagePostgres(await locatePostgres(), binFolder);
  await assertTrusted(binaries, { root: path.dirname(binFolder) });
  const folder = await makeTemporaryFolder(temporary, { prefix: "touchstone-postgres" });
  const guardian = startGuardian();
  try {
    if (account) {
      await chown(folder, 0, account.gid);
      await chmod(folder, 0o710);
    }
    const dataFolder = path.join(folder, "data");
    await createCluster({ binaries, dataFolder, account, password: null, isDurable: false });
    const port = await findFreePort();
    const server = await launchPostgres({
      binaries,
      dataFolder,
      account,
      port,
      logFile: path.join(folder, "postgres.log"),
      onSpawn: (pid) => guardian.watch([{ pid, politeSignal: "INT", forcefulSignal: "QUIT" }]),
      settings: {
        max_connections: String(connectionsMax),
        fsync: "off",
        full_page_writes: "off",
        jit: "off",
        log_checkpoints: "off",
      },
    });
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      pid: server.pid,
      async stop() {
        await stopPostgres(server);
        guardian.dismiss();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    guardian.dismiss();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A folder for temporary files that the servers' account can reach: TMPDIR may lie below somebody's home. */
async function temporaryFolder(account: ServerAccount | null): Promise<string> {
  const preferred = tmpdir();
  return account === null || (await canEnter(preferred, account)) ? preferred : "/tmp";
}

/** Copies of the binaries, shared by all throw-away servers of this user, so that only the first start pays for them. */
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
