import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { EmbeddedServerError } from "../embedded-server-error.ts";
import { loginName } from "../postgres-login.ts";
import { readSecret } from "../secret-file.ts";

/** The PostgreSQL of a home that another process runs. */
export interface RunningPostgres {
  home: string;
  servers: string;
  dataFolder: string;
  /** The account of the servers. */
  owner: { uid: number; gid: number };
  /** A new connection of the superuser to the services' database. The caller ends it, or the signal does. */
  connect(signal?: AbortSignal): Promise<pg.Client>;
}

/** Finds it by its folder. Fails with `backup_refused` when it does not run or belongs to another user. */
export async function findRunningPostgres(folder: string): Promise<RunningPostgres> {
  const home = await realpath(folder).catch(() => null);
  if (home === null) throw notRunning(folder);
  const owner = (await stat(home)).uid;
  if (owner !== process.getuid?.()) {
    throw new EmbeddedServerError("backup_refused", `${home} belongs to user ${owner}.`, {
      hint: "Run the backup as the user that runs Touchstone.",
    });
  }
  const servers = await realpath(path.join(home, "servers")).catch(() => home);
  const dataFolder = path.join(servers, "postgres");
  const password = await readSecret(path.join(home, "secrets", "postgres-superuser"));
  const data = await stat(dataFolder).catch(() => null);
  if (password === null || data === null) {
    throw new EmbeddedServerError("backup_refused", `${home} holds no PostgreSQL of Touchstone.`, {
      hint: "Set SERVICE_HOME to the folder of the standalone. A server of SERVICE_DB_URL is backed up with pg_basebackup.",
    });
  }
  const lines = (await readFile(path.join(dataFolder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const port = Number(lines[3]);
  if (!(port > 0)) throw notRunning(home);
  const connect = (signal?: AbortSignal) => connectSuperuser({ port, password, signal });
  const client = await connect().catch((error: unknown) => {
    throw notRunning(home, error);
  });
  try {
    const { rows } = await client.query<{ data: string; mode: string }>(
      "select current_setting('data_directory') as data, current_setting('archive_mode') as mode",
    );
    if (rows[0]?.data !== dataFolder) throw notRunning(home);
    if (rows[0].mode !== "on") {
      throw new EmbeddedServerError("backup_refused", "This Touchstone was started by a version without backups.", {
        hint: "Restart it once with this version, then run the backup again.",
      });
    }
  } finally {
    await client.end();
  }
  return { home, servers, dataFolder, owner: { uid: data.uid, gid: data.gid }, connect };
}

/** A connection of the superuser to the services' database. A signal ends it, in the middle of a statement too. */
export async function connectSuperuser({
  port,
  password,
  signal,
}: {
  port: number;
  password: string;
  signal?: AbortSignal | undefined;
}): Promise<pg.Client> {
  signal?.throwIfAborted();
  const client = new pg.Client({
    ...{ host: "127.0.0.1", port, user: "postgres", database: loginName, password },
    connectionTimeoutMillis: 10_000,
    // A checkpoint or a count of a large table takes minutes.
    query_timeout: 600_000,
  });
  client.on("error", () => {
    // The concurrent query rejects with the same error.
  });
  await client.connect();
  signal?.addEventListener("abort", () => void client.end());
  return client;
}

function notRunning(home: string, cause?: unknown): EmbeddedServerError {
  return new EmbeddedServerError("backup_refused", `No Touchstone runs on ${home}.`, {
    hint: "Start it, or set SERVICE_HOME to the folder of one that runs. The folder of a stopped one can be copied with cp -a.",
    cause,
  });
}
