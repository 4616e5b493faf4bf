import { readFile } from "node:fs/promises";
import path from "node:path";
import { archiveSettings } from "./backup/log-archive.ts";
import { assertRestored } from "./backup/unfinished-restore.ts";
import { EmbeddedServerError } from "./embedded-server-error.ts";
import { explainingFileFailures } from "./explain-file-failure.ts";
import { explainPostgresFailure } from "./explain-postgres-failure.ts";
import type { TouchstoneHome } from "./home.ts";
import { launchOnFreePort } from "./launch-on-free-port.ts";
import { locatePostgres } from "./locate-binaries.ts";
import { limitLogFile, readLogEnd } from "./log-file.ts";
import { createCluster, removePartialClusters } from "./postgres-cluster.ts";
import { findReusedPid, stopOldPostgres, stopOrphans } from "./postgres-left-overs.ts";
import { ensureLogin, loginName } from "./postgres-login.ts";
import { launchPostgres, stopPostgres } from "./postgres-server.ts";
import { chooseSharedBuffers, postgresSettings, readMemoryBytes } from "./postgres-settings.ts";
import { createSecret, openSecret, readSecret } from "./secret-file.ts";
import type { ServerProcess } from "./server-process.ts";
import { stagePostgres } from "./stage-binaries.ts";
import { type ServerEvent, type SupervisionLimits, superviseServer } from "./supervise-server.ts";
import { assertTrusted } from "./trusted-files.ts";

export interface PostgresOptions {
  home: TouchstoneHome;
  /** Default: a free one, a different one at every start. */
  port?: number | undefined;
  /** Notified when the server dies, when a restart fails, and when it is back. */
  onEvent: (event: ServerEvent) => void;
  limits?: SupervisionLimits | undefined;
  /** Overrides of our settings, by PostgreSQL's names: for data that can be recreated. */
  settings?: Readonly<Record<string, string>> | undefined;
}

export interface EmbeddedPostgres {
  /** The URL of the login `touchstone` and its database, with the password; never the superuser's. */
  url: string;
  port: number;
  /** The id of the current process, or of the last one. */
  readonly pid: number;
  /** Lets open transactions fail and writes a checkpoint. May be called any number of times. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL of a home on its data. Creates both if they are missing and stops a server that an earlier run
 * left behind. Acknowledged writes survive kill -9 and a power cut. Fails with an `EmbeddedServerError`.
 */
export function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  return options.home.start(() => start(options));
}

async function start({
  home,
  port: wantedPort,
  onEvent,
  limits,
  settings,
}: PostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(home);
  const logFile = path.join(home.folders.servers, "logs", "postgres.log");
  const stopLimiting = await limitLogFile(logFile);
  const launch = async (port: number, abort: AbortSignal): Promise<ServerProcess> => {
    await assertTrusted(cluster.binaries, { root: home.folders.servers });
    await stopOrphans(cluster);
    return launchPostgres({
      binaries: cluster.binaries,
      dataFolder: cluster.dataFolder,
      account: home.account,
      port,
      settings: {
        ...postgresSettings,
        ...archiveSettings,
        shared_buffers: chooseSharedBuffers(readMemoryBytes()),
        ...settings,
      },
      logFile,
      reusedPid: await findReusedPid(cluster),
      onSpawn: (pid) => home.guard("postgres", { pid, politeSignal: "INT", forcefulSignal: "QUIT" }),
      abort,
    });
  };

  const { server, port } = await launchOnFreePort((freePort) => launch(freePort, home.closing), wantedPort).catch(
    (error: unknown) => {
      stopLimiting();
      throw error;
    },
  );
  let loginPassword: string;
  try {
    const loginFile = path.join(home.folders.home, "secrets", "postgres-login");
    loginPassword = await openSecret(loginFile);
    await ensureLogin({ port, superuserPassword: cluster.superuserPassword, loginPassword });
  } catch (error) {
    await stopPostgres(server);
    await home.guard("postgres", null);
    stopLimiting();
    throw error;
  }
  const supervised = superviseServer({
    name: "PostgreSQL",
    first: server,
    launch: (abort) => explainingFileFailures(home.folders.home, () => launch(port, abort)),
    explainEnd: async (exit) => explainPostgresFailure(await readLogEnd(logFile), exit, { port, wasReady: true }),
    stopProcess: stopPostgres,
    onEvent,
    limits,
  });
  const stop = async () => {
    await supervised.stop();
    stopLimiting();
    await home.guard("postgres", null);
  };
  home.beforeClose(stop);
  home.onProgress(`PostgreSQL is ready on port ${port}.`);
  return {
    url: `postgres://${loginName}:${loginPassword}@127.0.0.1:${port}/${loginName}`,
    port,
    get pid() {
      return supervised.pid;
    },
    stop,
  };
}

/** Binaries and data of a home, ready to be started: no older server uses them, and their versions match. */
async function prepareCluster({ folders, account, guard, onProgress }: TouchstoneHome) {
  await assertRestored(folders.home);
  const source = await locatePostgres();
  const major = Number.parseInt(source.version, 10);
  const dataFolder = path.join(folders.servers, "postgres");
  const binFolder = path.join(folders.servers, "bin");
  await stopOldPostgres({
    binFolder,
    dataFolder,
    onFound: (pid) => onProgress(`Stopping a PostgreSQL that an earlier run left behind (process ${pid}).`),
  });
  await removePartialClusters(dataFolder);
  const dataVersion = await readDataVersion(dataFolder);
  if (dataVersion !== null && dataVersion !== major) throw otherVersion(dataVersion, major);

  const binaries = await stagePostgres(source, binFolder, {
    onCopy: () => onProgress(`Copying PostgreSQL ${major} to ${binFolder}.`),
  });
  const secretFile = path.join(folders.home, "secrets", "postgres-superuser");
  const secret = await readSecret(secretFile);
  if (dataVersion !== null) {
    if (secret === null) throw lostSuperuserSecret(secretFile);
    return { binFolder, binaries, dataFolder, superuserPassword: secret };
  }
  const superuserPassword = secret ?? (await createSecret(secretFile));
  onProgress(`Creating a PostgreSQL ${major} cluster in ${dataFolder}.`);
  await assertTrusted(binaries, { root: folders.servers });
  await createCluster({
    binaries,
    dataFolder,
    account,
    password: superuserPassword,
    isDurable: true,
    onSpawn: (pid) => guard("initdb", { pid, politeSignal: "TERM", forcefulSignal: "KILL" }),
  }).finally(() => guard("initdb", null));
  return { binFolder, binaries, dataFolder, superuserPassword };
}

/** The major version that wrote the data, or null when there are none. */
async function readDataVersion(dataFolder: string): Promise<number | null> {
  try {
    return Number.parseInt(await readFile(path.join(dataFolder, "PG_VERSION"), "utf8"), 10);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function otherVersion(dataVersion: number, major: number): EmbeddedServerError {
  return new EmbeddedServerError(
    "data_of_another_version",
    `The data were written by PostgreSQL ${dataVersion}, and this is PostgreSQL ${major}.`,
    {
      hint: "Start the Touchstone version that wrote them, and move the data with a dump (docs/operating/backup.md, A newer major version of PostgreSQL).",
    },
  );
}

function lostSuperuserSecret(file: string): EmbeddedServerError {
  return new EmbeddedServerError("home_not_usable", `There is a database, but its password is gone: ${file}.`, {
    hint: "Restore the file from a backup of SERVICE_HOME.",
  });
}
