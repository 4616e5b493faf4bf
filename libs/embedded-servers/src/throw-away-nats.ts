import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGuardian } from "./guardian.ts";
import { launchOnFreePort } from "./launch-on-free-port.ts";
import { locateNatsServer } from "./locate-binaries.ts";
import { type NatsCluster, type NatsTls, type NatsUser, renderNatsConfig } from "./nats-config.ts";
import { launchNats, stopNats } from "./nats-server.ts";
import type { ServerProcess } from "./server-process.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface ThrowAwayNats {
  url: string;
  port: number;
  /** The folder of JetStream's files. */
  storeFolder: string;
  /** The id of the current process; a new one after a restart. */
  readonly pid: number;
  /** Resolves when the current process has ended. */
  readonly exited: Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Restarts it on the same port and store; a running one is stopped first. */
  restart(): Promise<void>;
  /** Stops it and deletes the store if it created it. May be called twice. */
  stop(): Promise<void>;
}

/**
 * A nats-server with JetStream for tests, run directly from node_modules as the user of the tests. Without users
 * everyone may do everything. It ends with this process, however that ends.
 */
export async function startThrowAwayNats({
  users = [],
  port: wantedPort,
  storeFolder: wantedFolder,
  storeMaxBytes,
  isDurable = false,
  tls,
  cluster,
}: {
  users?: readonly NatsUser[] | undefined;
  port?: number | undefined;
  storeFolder?: string | undefined;
  storeMaxBytes?: number | undefined;
  /** Whether it syncs each message to disk, as in production. Default: no, since a test does not cut the power. */
  isDurable?: boolean | undefined;
  tls?: NatsTls | undefined;
  cluster?: NatsCluster | undefined;
} = {}): Promise<ThrowAwayNats> {
  const { executable } = await locateNatsServer();
  const folder = await makeTemporaryFolder(tmpdir(), { prefix: "touchstone-nats" });
  const storeFolder = wantedFolder ?? path.join(folder, "store");
  const configFile = path.join(folder, "nats.conf");
  const serverName = `touchstone-${randomBytes(6).toString("hex")}`;
  const guardian = startGuardian();

  const launch = (port: number): Promise<ServerProcess> =>
    launchNats({
      executable,
      configFile,
      serverName,
      account: null,
      port,
      logFile: path.join(folder, "nats.log"),
      onSpawn: (pid) => guardian.watch([{ pid, politeSignal: "TERM", forcefulSignal: "KILL" }]),
    });
  const clean = async () => {
    guardian.dismiss();
    await rm(folder, { recursive: true, force: true });
  };

  const launchFirst = async (port: number): Promise<ServerProcess> => {
    const config = renderNatsConfig({
      port,
      serverName,
      storeFolder,
      users,
      isDurable,
      storeMaxBytes,
      tls,
      cluster,
    });
    await writeFile(configFile, config, { mode: 0o600 });
    return launch(port);
  };

  let server: ServerProcess;
  let port: number;
  try {
    await mkdir(storeFolder, { recursive: true });
    ({ server, port } = await launchOnFreePort(launchFirst, wantedPort));
  } catch (error) {
    await clean();
    throw error;
  }

  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    storeFolder,
    get pid() {
      return server.pid;
    },
    get exited() {
      return server.exited;
    },
    signal: (name) => server.signal(name),
    async restart() {
      await stopNats(server);
      server = await launch(port);
    },
    async stop() {
      await stopNats(server);
      await clean();
    },
  };
}
