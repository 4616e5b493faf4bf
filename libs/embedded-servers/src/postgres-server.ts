import { readFile } from "node:fs/promises";
import path from "node:path";
import { explainPostgresFailure } from "./explain-postgres-failure.ts";
import type { ServerAccount } from "./server-account.ts";
import { type LaunchControl, launchServer, type ServerProcess, stopServer } from "./server-process.ts";

export interface PostgresLaunch extends LaunchControl {
  /** Holds bin, lib and share. */
  binaries: string;
  dataFolder: string;
  account: ServerAccount | null;
  port: number;
  settings: Readonly<Record<string, string>>;
  logFile: string;
  /** A process id that PostgreSQL must not mistake for a running server (see `findReusedPid`). */
  reusedPid?: number | null;
  /** Default: five minutes. Recovery after a crash replays at most max_wal_size (4 GB), which a slow disk reads in two. */
  readyTimeoutMs?: number;
}

/**
 * Starts PostgreSQL on an existing cluster, on 127.0.0.1 only and without a unix socket. Resolves when it accepts
 * connections.
 */
export async function launchPostgres(launch: PostgresLaunch): Promise<ServerProcess> {
  const { binaries, dataFolder, account, port, logFile, reusedPid, onSpawn, abort } = launch;
  const settings = {
    ...launch.settings,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
  };
  return launchServer({
    executable: path.join(binaries, "bin", "postgres"),
    arguments: ["-D", dataFolder, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // pg_ctl tells PostgreSQL in this way which process cannot be another PostgreSQL.
    environment: reusedPid ? { PG_GRANDPARENT_PID: String(reusedPid) } : {},
    account,
    logFile,
    isReady: (pid) => saysReady(dataFolder, { pid, port }),
    readyTimeoutMs: launch.readyTimeoutMs ?? 300_000,
    explain: (output, exit) => explainPostgresFailure(output, exit, { port }),
    onSpawn,
    abort,
  });
}

/**
 * SIGINT ends sessions and writes a checkpoint; SIGQUIT skips the checkpoint and leaves recovery to the next start.
 * SIGKILL is never needed in practice: it would leave shared memory behind.
 */
export async function stopPostgres(server: ServerProcess): Promise<void> {
  await stopServer(server, [
    { signal: "SIGINT", waitMs: 20_000 },
    { signal: "SIGQUIT", waitMs: 5_000 },
  ]);
}

/**
 * PostgreSQL reports its state in the eighth line of postmaster.pid; the first is its process id, the fourth its port. A file
 * that a killed PostgreSQL left has another port: in a container the same process id comes again.
 */
export async function saysReady(dataFolder: string, { pid, port }: { pid: number; port: number }): Promise<boolean> {
  const lines = (await readFile(path.join(dataFolder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  return lines[0] === String(pid) && lines[3] === String(port) && lines[7]?.trim() === "ready";
}
