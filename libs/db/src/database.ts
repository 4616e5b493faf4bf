import { Socket } from "node:net";
import type { Logger } from "@touchstone/service-kit";
import { Pool, type QueryResult, type QueryResultRow } from "pg";
import { type Connection, createConnections, type Statement } from "./connections.ts";
import { createMessageSocket } from "./message-socket.ts";

/** Runs statements: a pool, or one transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>>;
}

/** The results of statements that were sent together, in order. `Rows` is the row type of each. */
export type Results<Rows extends readonly QueryResultRow[]> = { [Index in keyof Rows]: QueryResult<Rows[Index]> };

/** One transaction, open until its work ends. */
export interface Transaction extends Queryable {
  /**
   * Sends all statements at once and waits once. Each sees the effects of the ones before it, and a lock that one of
   * them waits for is held when the next takes its snapshot; none can use another's result. The first failure is
   * thrown, and later statements do nothing then. The timeout of one statement applies to all of them together.
   */
  pipeline<Rows extends readonly QueryResultRow[]>(statements: readonly Statement[]): Promise<Results<Rows>>;
  /** The same, sent with the commit: nothing may follow. When it resolves they are committed. */
  finish<Rows extends readonly QueryResultRow[]>(statements: readonly Statement[]): Promise<Results<Rows>>;
}

/** How busy a pool is. */
export interface PoolLoad {
  inUse: number;
  /** Work that waits for a connection. */
  waiting: number;
}

/** A pool of connections that act as one role. Every failure to reach or use PostgreSQL is a `store_unavailable`. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. The transaction begins with
   * the first statement, in the same round trip. If `work` swallows a statement's failure this rejects at the end,
   * because nothing was stored.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * The same with only the rows of these projects visible (row-level security reads the list). Queries still name their
   * project: this is the second layer, not the first.
   */
  scoped<Result>(projectIds: readonly string[], work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Reads with only the rows of these projects visible, in one round trip: begin, scope, statement and end are sent
   * together. Several statements are one transaction, yet each sees what was committed when it ran.
   */
  readScoped<Row extends QueryResultRow>(
    projectIds: readonly string[],
    statement: Statement,
  ): Promise<QueryResult<Row>>;
  readScoped<Rows extends readonly QueryResultRow[]>(
    projectIds: readonly string[],
    statements: readonly Statement[],
  ): Promise<Results<Rows>>;
  /** `ok`, or why the database cannot be used: unreachable, or a role that row-level security does not bind. */
  check(): Promise<string>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** The role every connection takes after log-in. */
  role: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  connectionsMax: number;
  /** Longest a statement may take, on the server. The client gives up 500 ms later, even on a frozen server. */
  statementTimeoutMs: number;
  /**
   * How long a transaction may be idle between two statements. After this, a process that froze or lost its network
   * releases its row locks. Default 30,000.
   */
  standstillMaxMs?: number;
  /**
   * Every statement of this pool finds its rows by key. Its plans are then made once per connection, for any parameters
   * and table sizes: planning a look-up in many partitions costs far more than the look-up.
   */
  plansByKey?: true;
  /**
   * The function that checks the projects of a scope, `<schema>.open_projects`: it refuses deleted ones, and the
   * transaction fails as `unauthorized`, like a request with their key.
   */
  openProjects?: string | undefined;
  logger: Logger;
}

const acquireTimeoutMs = 2_000;
const planByKey = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off";

/**
 * Opens a pool. It connects with the first query, and reconnects after an outage with the next query, without a
 * restart.
 */
export function openDatabase(options: DatabaseOptions): Database & { load(): PoolLoad } {
  const pool = openPool(options);
  const withConnection = createConnections(pool);

  const inTransaction = <Result>(
    opening: readonly Statement[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> => withConnection((send) => runTransaction(send, opening, work));

  async function readScoped(projectIds: readonly string[], asked: Statement | readonly Statement[]): Promise<unknown> {
    const statements = "text" in asked ? [asked] : asked;
    const results = await withConnection((send) =>
      send([beginRead, scopeTo(projectIds, options.openProjects), ...statements, commit]),
    );
    requireCommitted(results);
    const rows = results.slice(2, -1);
    return "text" in asked ? rows[0] : rows;
  }

  return {
    query: (statement) => withConnection(async (send) => (await send([statement]))[0] as never),
    transaction: (work) => inTransaction([begin], work),
    scoped: (projectIds, work) => inTransaction([begin, scopeTo(projectIds, options.openProjects)], work),
    readScoped: readScoped as Database["readScoped"],
    async check() {
      try {
        const [result] = await withConnection((send) => send([readPrivileges]));
        return result?.rows[0]?.unsafe === false ? "ok" : `role ${options.role} is not bound by row-level security`;
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : "unreachable";
      }
    },
    load: () => ({ inUse: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

function openPool(options: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    options: `-c role=${options.role} -c timezone=UTC -c search_path=pg_catalog ${options.plansByKey ? planByKey : ""}`,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.standstillMaxMs ?? 30_000,
    pipeline: true,
    // The server enforces statement_timeout, and a frozen server enforces nothing.
    query_timeout: options.statementTimeoutMs + 500,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    stream: openSocket,
  });
  // Without a listener, the loss of an idle connection would end the process.
  pool.on("error", (err) => {
    // A stopping server still sends its shutdown message to connections that are closing.
    if (!pool.ending) options.logger.warn({ err }, "an idle database connection was lost");
  });

  // The pool listens to idle connections only: an error while one is handed over or in use would end the process. Its
  // statements fail, and the pool discards it.
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
  });
  return pool;
}

/** With TLS, Node reads what it decrypts from an ordinary socket. pg passes the options of the connection, which its types leave out. */
const openSocket = ((options: { ssl?: unknown }) =>
  options.ssl ? new Socket() : createMessageSocket()) as unknown as () => Socket;

/** Runs `work` in one transaction of a connection, which begins with the opening statements. */
async function runTransaction<Result>(
  send: Connection,
  opening: readonly Statement[],
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  let isOpen = false;
  let isFinished = false;
  const sendInside = async (statements: readonly Statement[]): Promise<QueryResult[]> => {
    if (isFinished) throw new Error("The transaction has ended.");
    if (isOpen) return send(statements);
    isOpen = true;
    return (await send([...opening, ...statements])).slice(opening.length);
  };
  const finish = async (statements: readonly Statement[]): Promise<QueryResult[]> => {
    const results = sendInside([...statements, commit]);
    isFinished = true;
    requireCommitted(await results);
    isOpen = false;
    return (await results).slice(0, -1);
  };
  let result: Result;
  try {
    result = await work({
      query: async (statement) => (await sendInside([statement]))[0] as never,
      pipeline: (statements) => sendInside(statements) as never,
      finish: (statements) => finish(statements) as never,
    });
  } catch (thrown) {
    if (isOpen) await send([rollback]).catch(() => undefined);
    throw thrown;
  }
  if (isOpen) requireCommitted(await send([commit]));
  return result;
}

// A statement without parameters and without a name is sent as plain text, the cheapest way for both sides.
const begin: Statement = { name: "", text: "begin" };
const beginRead: Statement = { name: "", text: "begin read only" };
const commit: Statement = { name: "", text: "commit" };
const rollback: Statement = { name: "", text: "rollback" };

const readPrivileges: Statement = {
  name: "role_privileges",
  text: "select rolsuper or rolbypassrls as unsafe from pg_roles where rolname = current_user",
};

/** Reads the clock of PostgreSQL, in milliseconds since the epoch, as `ms`. */
export const readClock: Statement = {
  name: "read_clock",
  text: "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
};

/** Valid for the rest of the transaction. Outside of one it has no effect, so that nothing is visible. */
function scopeTo(projectIds: readonly string[], openProjects: string | undefined): Statement {
  return {
    name: "set_project_scope",
    text: `select set_config('app.projects', ${openProjects === undefined ? "$1" : `${openProjects}($1)`}, true)`,
    values: [projectIds.join(",")],
  };
}

/** After a failed statement the server answers `commit` with a rollback, which is not an error. */
function requireCommitted(results: readonly QueryResult[]): void {
  if (results.at(-1)?.command !== "COMMIT") throw new Error("A failed transaction cannot be committed.");
}
