import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { explainingFileFailures } from "./explain-file-failure.ts";
import { explainNatsFailure } from "./explain-nats-failure.ts";
import type { TouchstoneHome } from "./home.ts";
import { launchOnFreePort } from "./launch-on-free-port.ts";
import { stopLeftOvers } from "./left-overs.ts";
import { locateNatsServer } from "./locate-binaries.ts";
import { limitLogFile, readLogEnd } from "./log-file.ts";
import { type NatsUser, renderNatsConfig } from "./nats-config.ts";
import { launchNats, stopNats } from "./nats-server.ts";
import type { ServerAccount } from "./server-account.ts";
import type { ServerProcess } from "./server-process.ts";
import { assertKnownNatsServer, stageNatsServer } from "./stage-binaries.ts";
import { type ServerEvent, type SupervisionLimits, superviseServer } from "./supervise-server.ts";

export interface NatsOptions {
  home: TouchstoneHome;
  /** The users that may connect, and their permissions; no other clients are admitted. */
  users: readonly [NatsUser, ...NatsUser[]];
  /** Default: a free one, a different one at every start. */
  port?: number | undefined;
  /** The PATH to search for nats-server on platforms without an npm package. */
  searchPath?: string | undefined;
  /** Notified when the server dies, when a restart fails, and when it is back. */
  onEvent: (event: ServerEvent) => void;
  limits?: SupervisionLimits | undefined;
}

export interface EmbeddedNats {
  /** Without credentials; each user connects with `user` and `pass`. */
  url: string;
  port: number;
  /** The id of the current process, or of the last one. */
  readonly pid: number;
  /** May be called any number of times. */
  stop(): Promise<void>;
}

/**
 * Starts the nats-server of a home: JetStream in `nats`, every message on disk before it is acknowledged, messages up to
 * 8 MB. Stops a server that an earlier run left behind. Fails with an `EmbeddedServerError`.
 */
export function startNats(options: NatsOptions): Promise<EmbeddedNats> {
  return options.home.start(() => start(options));
}

async function start({
  home,
  users,
  port: wantedPort,
  searchPath,
  onEvent,
  limits,
}: NatsOptions): Promise<EmbeddedNats> {
  const { folders, account, onProgress } = home;
  const source = await locateNatsServer({ searchPath });
  const binFolder = path.join(folders.servers, "bin");
  const storeFolder = path.join(folders.servers, "nats");
  const configFile = path.join(folders.servers, "nats.conf");
  const logFile = path.join(folders.servers, "logs", "nats.log");
  const executable = await stageNatsServer(source, binFolder);
  await stopLeftOvers({
    isOurs: (facts) => path.basename(facts.executable) === "nats-server" && facts.arguments.includes(configFile),
    steps: [
      { signal: "SIGTERM", waitMs: 3_000 },
      { signal: "SIGKILL", waitMs: 1_000 },
    ],
    onFound: (pid) => onProgress(`Stopping a nats-server that an earlier run left behind (process ${pid}).`),
  });
  await makeStore(storeFolder, account);
  const stopLimiting = await limitLogFile(logFile);
  const serverName = `touchstone-${randomBytes(6).toString("hex")}`;

  const launch = async (port: number, abort: AbortSignal): Promise<ServerProcess> => {
    const config = renderNatsConfig({ port, serverName, storeFolder, users, isDurable: true });
    await writeConfig(configFile, config, account);
    await assertKnownNatsServer(executable, source, binFolder);
    return launchNats({
      executable,
      configFile,
      serverName,
      account,
      port,
      logFile,
      onSpawn: (pid) => home.guard("nats", { pid, politeSignal: "TERM", forcefulSignal: "KILL" }),
      abort,
    });
  };
  const { server, port } = await launchOnFreePort((freePort) => launch(freePort, home.closing), wantedPort).catch(
    (error: unknown) => {
      stopLimiting();
      throw error;
    },
  );
  const supervised = superviseServer({
    name: "nats-server",
    first: server,
    launch: (abort) => explainingFileFailures(home.folders.home, () => launch(port, abort)),
    explainEnd: async (exit) => explainNatsFailure(await readLogEnd(logFile), exit, { port, wasReady: true }),
    stopProcess: stopNats,
    onEvent,
    limits,
  });
  const stop = async () => {
    await supervised.stop();
    stopLimiting();
    await home.guard("nats", null);
  };
  home.beforeClose(stop);
  onProgress(`nats-server is ready on port ${port}.`);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return supervised.pid;
    },
    stop,
  };
}

async function makeStore(folder: string, account: ServerAccount | null): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (account) await chown(folder, account.uid, account.gid);
}

/** It contains passwords: only the server's account may read it, and it is written atomically. */
async function writeConfig(file: string, text: string, account: ServerAccount | null): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(text);
      if (account) await handle.chown(account.uid, account.gid);
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
