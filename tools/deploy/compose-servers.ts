import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  findFreePort,
  type GuardedProcess,
  locateNatsServer,
  startGuardian,
  startThrowAwayPostgres,
} from "@touchstone/embedded-servers";
import { Client } from "pg";
import { renderNatsConf } from "../golden-files/nats-conf.ts";
import { type ComposeFile, readPostgresSettings, substitute } from "./compose-file.ts";
import { readInitialStatements } from "./initial-statements.ts";

/** Less memory than a container has, and a disk that many tests share. */
const asWeHaveIt = { shared_buffers: "128MB", fsync: "off" };

/** The servers of `deploy/compose.yaml` as processes on this machine. */
export interface ComposeServers {
  /** The environment of a service, with the addresses of these servers. */
  environmentOf(service: string): Record<string, string>;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL prepared by `deploy/postgres-init.sql`, which asks each service for its password, a nats-server
 * configured as by `deploy/nats.conf` and, if wanted, the machine's Redis with its password.
 */
export async function startComposeServers(
  compose: ComposeFile,
  variables: Readonly<Record<string, string>>,
  { redis }: { redis: boolean },
): Promise<ComposeServers> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  const guardian = startGuardian();
  cleanups.push(async () => guardian.dismiss());
  const guarded: GuardedProcess[] = [];
  let log = "";
  const run = async (executable: string, args: string[], env: Record<string, string>): Promise<void> => {
    const child = spawn(executable, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    cleanups.push(() => endProcess(child));
    await once(child, "spawn");
    guarded.push({ pid: child.pid as number, politeSignal: "TERM", forcefulSignal: "KILL" });
    await guardian.watch(guarded);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        log += String(text);
      });
    }
  };

  try {
    const settings = { ...readPostgresSettings(compose), ...asWeHaveIt };
    const postgres = await startThrowAwayPostgres({ settings });
    cleanups.push(postgres.stop);
    await prepareDatabase(postgres, variables);
    const [natsPort, redisPort] = [await findFreePort(), await findFreePort()];
    const places = [
      ["postgres:5432", `127.0.0.1:${postgres.port}`],
      ["nats:4222", `127.0.0.1:${natsPort}`],
      ["redis:6379", `127.0.0.1:${redisPort}`],
    ] as const;
    const environmentOf = (service: string): Record<string, string> => {
      const stated = Object.entries(compose.services[service]?.environment ?? {});
      const relocate = (value: string): string =>
        places.reduce((text, [host, place]) => text.replace(host, place), substitute(value, variables));
      return Object.fromEntries(stated.map(([name, value]) => [name, relocate(value)]));
    };

    const folder = await mkdtemp(path.join(tmpdir(), "touchstone-compose-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const configFile = path.join(folder, "nats.conf");
    const monitoring = `127.0.0.1:${await findFreePort()}`;
    await writeFile(configFile, renderNatsConf({ host: "127.0.0.1", port: natsPort, monitoring, storeFolder: folder }));
    await run((await locateNatsServer()).executable, ["--config", configFile], environmentOf("nats"));
    if (redis) {
      const place = ["--bind", "127.0.0.1", "--port", String(redisPort), "--dir", folder];
      const password = environmentOf("redis").REDIS_PASSWORD ?? "";
      await run("redis-server", [...place, "--requirepass", password, "--save", "", "--appendonly", "no"], {
        PATH: process.env.PATH ?? "",
      });
    }
    return { environmentOf, log: () => log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Asks a process to stop, and waits until it has ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

async function prepareDatabase(
  postgres: { url: string; dataFolder: string },
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query("create database touchstone");
  // As in a container: everyone but the administrator needs a password.
  const rules = ["host all postgres 127.0.0.1/32 trust", "host all all 127.0.0.1/32 scram-sha-256"];
  await writeFile(path.join(postgres.dataFolder, "pg_hba.conf"), `${rules.join("\n")}\n`);
  await admin.query("select pg_reload_conf()");
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = "/touchstone";
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(await readInitialStatements((variable) => variables[variable] ?? ""));
  await client.end();
}
