import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { serviceNames } from "@touchstone/contracts";
import { findFreePort, locateNatsServer, startThrowAwayPostgres } from "@touchstone/embedded-servers";
import { Client } from "pg";
import { renderNatsConf } from "../golden-files/nats-conf.ts";
import { repositoryRoot } from "../repository-files.ts";
import { type ComposeFile, readComposeFile, readPostgresSettings, substitute } from "./compose-file.ts";
import { readInitialStatements } from "./initial-statements.ts";

/** Less memory than a container has, and a disk that many tests share. */
const asWeHaveIt = { shared_buffers: "128MB", fsync: "off" };

/** The running processes and their log. */
export interface ComposeProcesses {
  /** Address of the gateway. */
  gateway: string;
  log(): string;
  stop(): Promise<void>;
}

/**
 * Starts the services of `deploy/compose.yaml` as processes: each with the environment of its container, on a
 * PostgreSQL prepared by `deploy/postgres-init.sql` and a nats-server configured as by `deploy/nats.conf`. Only hosts
 * and ports differ, and there is no Redis.
 */
export async function startComposeProcesses(): Promise<ComposeProcesses> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  let log = "";
  const run = (executable: string, args: string[], env: Record<string, string>): void => {
    const child = spawn(executable, args, { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "pipe"] });
    cleanups.push(() => end(child));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        log += String(text);
      });
    }
  };

  try {
    const compose = await readComposeFile();
    const secrets = makeSecrets(compose);
    const postgres = await startThrowAwayPostgres({ settings: { ...readPostgresSettings(compose), ...asWeHaveIt } });
    cleanups.push(postgres.stop);
    await prepareDatabase(postgres.url, secrets);

    const places = new Map([["postgres:5432", `127.0.0.1:${postgres.port}`]]);
    const hosts = ["nats:4222", ...serviceNames.map((service) => `${service}:4700`)];
    for (const host of hosts) places.set(host, `127.0.0.1:${await findFreePort()}`);
    const placeOf = (host: string): string => places.get(host) ?? "";
    const environmentOf = (service: string): Record<string, string> => {
      const stated = Object.entries(compose.services[service]?.environment ?? {});
      return Object.fromEntries(stated.map(([name, value]) => [name, relocate(substitute(value, secrets), places)]));
    };

    const folder = await mkdtemp(path.join(tmpdir(), "touchstone-compose-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const configFile = path.join(folder, "nats.conf");
    const [host = "", port] = placeOf("nats:4222").split(":");
    const monitoring = `127.0.0.1:${await findFreePort()}`;
    await writeFile(configFile, renderNatsConf({ host, port: Number(port), monitoring, storeFolder: folder }));
    run((await locateNatsServer()).executable, ["--config", configFile], environmentOf("nats"));

    for (const service of serviceNames) {
      const [SERVICE_HOST = "", PORT = ""] = placeOf(`${service}:4700`).split(":");
      const here = { PATH: process.env.PATH ?? "", SERVICE_HOST, PORT, SERVICE_REDIS_URL: "" };
      run("node", [`services/${service}/src/main.ts`], { ...environmentOf(service), ...here });
    }
    return { gateway: `http://${placeOf("gateway:4700")}`, log: () => log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A value for every variable that the file requires. */
function makeSecrets(compose: ComposeFile): Record<string, string> {
  const names = [...JSON.stringify(compose).matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, `value-of-${name.toLowerCase()}-which-is-long-enough`]));
}

async function prepareDatabase(adminUrl: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query("create database touchstone");
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = "/touchstone";
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(await readInitialStatements((variable) => secrets[variable] ?? ""));
  await client.end();
}

function relocate(value: string, places: ReadonlyMap<string, string>): string {
  return [...places].reduce((text, [host, place]) => text.replace(host, place), value);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
