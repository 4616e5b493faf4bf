import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BusOptions, connectBus } from "@touchstone/bus";
import { busServices } from "@touchstone/contracts";
import { migrateSchema, openDatabase, rolesOf } from "@touchstone/db";
import {
  findFreePort,
  locateNatsServer,
  type NatsCluster,
  startThrowAwayPostgres,
  type ThrowAwayPostgres,
} from "@touchstone/embedded-servers";
import { createLogger } from "@touchstone/service-kit";
import { testCertificates } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  clusterPlace,
  type NatsConfPlace,
  natsPasswordVariable,
  renderNatsConf,
  secureClusterPlace,
} from "../golden-files/nats-conf.ts";
import { repositoryRoot } from "../repository-files.ts";
import { readInitialStatements } from "./initial-statements.ts";

const logger = createLogger({ service: "deploy-test", level: "silent" });

/** The log-ins, the schemas they own, and the migrations. */
const owners = [
  { service: "auth", login: "touchstone_auth", schema: "auth" },
  { service: "ingest", login: "touchstone_ingest", schema: "ingest" },
  { service: "eval-runs", login: "touchstone_eval_runs", schema: "evals" },
  { service: "judge", login: "touchstone_judge", schema: "judge" },
  { service: "monitor", login: "touchstone_monitor", schema: "monitor" },
];

describe("postgres-init.sql", () => {
  let postgres: ThrowAwayPostgres;

  const urlOf = (login: string): string => {
    const url = new URL(postgres.url);
    url.username = login;
    return url.href;
  };
  const query = async (login: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: urlOf(login) });
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };

  // Roles belong to a cluster, so this needs a separate one.
  beforeAll(async () => {
    postgres = await startThrowAwayPostgres();
    await query("postgres", await readInitialStatements((variable) => `value of ${variable}`));
  });

  afterAll(() => postgres.stop());

  test("gives each service a log-in with a password, which is no superuser and cannot create roles", async () => {
    const rows = await query(
      "postgres",
      `select rolname, rolsuper, rolcreaterole, rolbypassrls, rolpassword like 'SCRAM-SHA-256$%' as has_password
       from pg_authid where rolcanlogin and rolname like 'touchstone%' order by rolname`,
    );
    const harmless = { rolsuper: false, rolcreaterole: false, rolbypassrls: false, has_password: true };
    expect(rows).toEqual(owners.map(({ login }) => ({ rolname: login, ...harmless })).sort(byName));
  });

  test.for(owners)("lets $service migrate and use schema $schema with it", async ({ service, login, schema }) => {
    const directory = path.join(repositoryRoot, "services", service, "migrations");
    const { applied } = await migrateSchema({ url: urlOf(login), schema, directory, logger });
    expect(applied.length).toBeGreaterThan(0);
    const { app } = rolesOf(schema);
    const database = openDatabase({
      url: urlOf(login),
      role: app,
      applicationName: "deploy-test",
      connectionsMax: 1,
      statementTimeoutMs: 5_000,
      logger,
    });
    expect(await database.check()).toBe("ok");
    await database.close();
  });

  test("leaves no table of projects' rows to a service without forced row-level security, except in auth", async () => {
    // Auth finds the owner of a request: row-level security has no meaning there, as its first migration explains.
    const schemas = owners.map(({ schema }) => `'${schema}'`).filter((schema) => schema !== "'auth'");
    const rows = await query(
      "postgres",
      `select c.oid::regclass::text as name, c.relrowsecurity and c.relforcerowsecurity as is_forced,
         exists (select 1 from aclexplode(c.relacl) granted where granted.grantee <> c.relowner) as is_reached
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in (${schemas.join(", ")}) and c.relkind in ('r', 'p')
         and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id')
       order by 1`,
    );
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => row.is_forced !== true && row.is_reached)).toEqual([]);
  });

  test.for(owners)("denies $login the other schemas, and its own without a role", async ({ login, schema }) => {
    for (const other of owners.filter((owner) => owner.schema !== schema)) {
      await expect(query(login, `set role ${rolesOf(other.schema).app}`)).rejects.toThrow(/permission denied/);
    }
    await expect(query(login, `create table ${schema}.x ()`)).rejects.toThrow(/permission denied/);
  });

  test("denies every other role of the cluster access to the database", async () => {
    await query("postgres", "create role stranger login");
    await expect(query("stranger", "select 1")).rejects.toThrow(/permission denied for database/);
  });
});

describe("NATS", () => {
  let folder = "";
  const servers: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "touchstone-nats-conf-"));
  });

  afterAll(async () => {
    for (const server of servers) if (server.kill("SIGTERM")) await once(server, "exit");
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts three servers of one cluster, each configured as this place says; returns their ports when JetStream has a leader. */
  async function startCluster(place: NatsConfPlace, more: Readonly<Record<string, string>> = {}): Promise<number[]> {
    const { executable } = await locateNatsServer();
    const own = await mkdtemp(path.join(folder, "cluster-"));
    const ports = await Promise.all(Array.from({ length: 9 }, findFreePort));
    const [names, routes, monitoring] = [["one", "two", "three"], ports.slice(3, 6), ports.slice(6)];
    for (const [at, name] of names.entries()) {
      const file = path.join(own, `${name}.conf`);
      const config = renderNatsConf({
        ...place,
        host: "127.0.0.1",
        port: ports[at] as number,
        monitoring: `127.0.0.1:${monitoring[at]}`,
        storeFolder: path.join(own, name),
        cluster: { ...(place.cluster as NatsCluster), listen: `127.0.0.1:${routes[at]}` },
      });
      await writeFile(file, config);
      const environment = {
        ...Object.fromEntries(busServices.map((service) => [natsPasswordVariable(service), `${service}-pw`])),
        NATS_OPERATOR_PASSWORD: "operator-pw",
        NATS_SERVER_NAME: name,
        NATS_ROUTE_PASSWORD: "route-pw",
        ...Object.fromEntries(
          routes.map((port, n) => [`NATS_ROUTE_${n + 1}`, `nats://route:route-pw@127.0.0.1:${port}`]),
        ),
        ...more,
      };
      servers.push(spawn(executable, ["--config", file], { stdio: "ignore", env: environment }));
    }
    await vi.waitFor(async () => {
      for (const port of monitoring) {
        const state = await (await fetch(`http://127.0.0.1:${port}/jsz`)).json();
        expect(state).toMatchObject({
          meta_cluster: { leader: expect.stringMatching(/one|two|three/), cluster_size: 3 },
        });
      }
    });
    return ports.slice(0, 3);
  }

  test("three servers with nats-cluster.conf and their variables are a cluster with JetStream", async () => {
    const [port = 0] = await startCluster(clusterPlace);
    expect(await logIn(port, "operator", "operator-pw")).toBe("PONG");
    expect(await logIn(port, "ingest", "wrong")).toMatch(/Authorization Violation/);
  });

  test("with nats-cluster-tls.conf they talk to each other and to clients over TLS, and refuse clients without a certificate", async () => {
    const { server, client, caFile } = testCertificates;
    const ports = await startCluster(secureClusterPlace, {
      NATS_TLS_CERT: server.certFile,
      NATS_TLS_KEY: server.keyFile,
      NATS_TLS_CA: caFile,
    });
    const logged: string[] = [];
    const open = (tls: BusOptions["tls"]) => {
      const bus = connectBus({
        url: ports.map((port) => `nats://127.0.0.1:${port}`).join(","),
        ...{ user: "ingest", password: "ingest-pw", service: "ingest", tls, eventStore: { replicas: 3 } },
        logger: createLogger({ service: "deploy-test", level: "warn" }, { write: (line) => void logged.push(line) }),
      });
      onTestFinished(() => bus.drain());
      return bus;
    };
    const known = open({ caFile, ...client });
    await vi.waitFor(async () => expect(await known.checkEvents()).toBe("ok"));
    expect(logged).toEqual([]);

    const unknown = open({ caFile });
    await vi.waitFor(() => expect(logged.join()).toContain("bus cannot reach NATS"));
    expect([known.status(), unknown.status()]).toEqual(["connected", "disconnected"]);
  });

  test("nats.conf takes each service's password from the environment, and no other password", async () => {
    const [port, monitoringPort] = [await findFreePort(), await findFreePort()];
    const file = path.join(folder, "nats.conf");
    const place = { host: "127.0.0.1", port, monitoring: `127.0.0.1:${monitoringPort}`, storeFolder: folder };
    await writeFile(file, renderNatsConf(place));
    const { executable } = await locateNatsServer();
    // Digits that nats-server would read as a number if they were alone.
    const passwordOf = (service: string): string => `p12e4${service}`;
    const passwords = busServices.map((service) => [natsPasswordVariable(service), passwordOf(service)]);
    servers.push(spawn(executable, ["--config", file], { stdio: "ignore", env: Object.fromEntries(passwords) }));
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${monitoringPort}/healthz`)).status).toBe(200));

    for (const service of busServices) {
      expect(await logIn(port, service, passwordOf(service)), service).toBe("PONG");
      expect(await logIn(port, service, `$${natsPasswordVariable(service)}`), service).toMatch(
        /Authorization Violation/,
      );
    }
  });
});

function byName(one: { rolname: string }, other: { rolname: string }): number {
  return one.rolname < other.rolname ? -1 : 1;
}

/** Logs in to nats-server and pings it. Returns the line after its greeting. */
async function logIn(port: number, user: string, password: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "data");
    const login = JSON.stringify({ user, pass: password, verbose: false, pedantic: false });
    socket.write(`CONNECT ${login}\r\nPING\r\n`);
    const [answer] = await once(socket, "data");
    return String(answer).trim();
  } finally {
    socket.destroy();
  }
}
