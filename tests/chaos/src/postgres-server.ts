import { startThrowAwayPostgres, type ThrowAwayPostgresOptions } from "@touchstone/embedded-servers";
import { findFreePort } from "@touchstone/testkit";
import { Client, type QueryResult, type QueryResultRow } from "pg";
import { signalTree } from "./process-tree.ts";

/** A PostgreSQL that keeps acknowledged commits, and that a test may stop or freeze. */
export interface PostgresServer {
  port: number;
  logFile: string;
  dataFolder: string;
  readonly pid: number;
  /** Runs one statement as superuser in the services' database, on a new connection. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
  /** A superuser connection for a scripted session; the caller ends it. */
  connect(): Promise<Client>;
  /** Resolves when the current server has ended, for whatever reason. */
  readonly exited: Promise<unknown>;
  /** Stops it without a checkpoint (`immediate`) and waits for its end. */
  crash(): Promise<void>;
  /** kill -9 of the postmaster and all its children. */
  kill(): Promise<void>;
  /** SIGSTOP of the postmaster and all its children. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Restarts it; a running server is stopped first (`fast`, as an operator would). */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The login of the services: it owns their database, creates their roles, and is no superuser. */
const login = "touchstone";
const databaseName = "touchstone";

/** The services' connection URL with this port, of the server or of a proxy. */
export const databaseUrlAt = (port: number): string => `postgres://${login}@127.0.0.1:${port}/${databaseName}`;

/** Starts a server that syncs every commit, with an empty database for the services or the database of a backup. */
export async function startPostgresServer(options: ThrowAwayPostgresOptions = {}): Promise<PostgresServer> {
  const server = await startThrowAwayPostgres({
    port: await findFreePort(),
    ...options,
    settings: { fsync: "on", full_page_writes: "on", synchronous_commit: "on", ...options.settings },
  });

  async function connectTo(database: string): Promise<Client> {
    const client = new Client({ host: "127.0.0.1", port: server.port, user: "postgres", database });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  async function prepare(): Promise<void> {
    const admin = await connectTo("postgres");
    try {
      await admin.query(`create role ${login} login createrole nosuperuser`);
      await admin.query(`alter role ${login} set createrole_self_grant = 'set, inherit'`);
      await admin.query(`create database ${databaseName} owner ${login}`);
    } finally {
      await admin.end();
    }
  }

  if (options.backup === undefined) await prepare();

  return {
    port: server.port,
    logFile: server.logFile,
    dataFolder: server.dataFolder,
    get pid() {
      return server.pid;
    },
    get exited() {
      return server.exited;
    },
    connect: () => connectTo(databaseName),
    async query<Row extends QueryResultRow>(text: string, values?: unknown[]) {
      const client = await connectTo(databaseName);
      try {
        return await client.query<Row>(text, values);
      } finally {
        await client.end();
      }
    },
    async crash() {
      process.kill(server.pid, "SIGQUIT");
      await server.exited;
    },
    async kill() {
      await signalTree(server.pid, "SIGKILL");
      await server.exited;
    },
    freeze: () => signalTree(server.pid, "SIGSTOP"),
    thaw: () => signalTree(server.pid, "SIGCONT"),
    restart: server.restart,
    async stop() {
      await signalTree(server.pid, "SIGCONT");
      await server.stop();
    },
  };
}
