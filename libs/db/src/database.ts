import { AppError, type Logger } from "@touchstone/service-kit";
import { Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { translateDatabaseError } from "./database-error.ts";

/** A statement: SQL with a name that shows in metrics and logs, and its parameters. */
export interface Statement {
  name: string;
  text: string;
  values?: unknown[];
}

/** Runs statements: a pool, or one transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>>;
}

/** A pool of connections that act as one role. Every failure to reach or use PostgreSQL is a `store_unavailable`. */
export interface Database extends Queryable {
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
  /**
   * The same with the rows of only these projects visible (row-level security reads the list). Queries still name
   * their project: this is the second layer, not the first.
   */
  scoped<Result>(projectIds: readonly string[], work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
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
  /** Longest a statement may take, on the server. The client gives up 500 ms later, also on a frozen server. */
  statementTimeoutMs: number;
  logger: Logger;
}

const acquireTimeoutMs = 2_000;

/**
 * Opens a pool. No connection is made before the first query, and a server that went away is found again by the next
 * query: nothing here needs a restart.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    options: `-c role=${options.role} -c timezone=UTC -c search_path=pg_catalog`,
    statement_timeout: options.statementTimeoutMs,
    // statement_timeout is the server's promise, and a frozen server keeps none.
    query_timeout: options.statementTimeoutMs + 500,
    connectionTimeoutMillis: acquireTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // Without a listener a connection lost while idle would end the process.
  pool.on("error", (err) => {
    // A server that stops right after us still says goodbye to connections that are closing.
    if (!pool.ending) options.logger.warn({ err }, "an idle database connection was lost");
  });

  async function withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch((cause) => {
      throw translateDatabaseError(cause);
    });
    let broken = false;
    const onError = (): void => {
      broken = true;
    };
    client.on("error", onError);
    try {
      return await work(client);
    } catch (thrown) {
      const translated = translateDatabaseError(thrown);
      // After a client-side timeout the connection still waits for the old answer: it must not be used again.
      if (translated instanceof AppError) broken = true;
      throw translated;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  async function inTransaction<Result>(
    begin: (client: PoolClient) => Promise<unknown>,
    work: (transaction: Queryable) => Promise<Result>,
  ): Promise<Result> {
    return withClient(async (client) => {
      await begin(client);
      let result: Result;
      try {
        result = await work({ query: (statement) => run(client, statement) });
      } catch (thrown) {
        await client.query("rollback").catch(() => undefined);
        throw thrown;
      }
      await client.query("commit");
      return result;
    });
  }

  return {
    query: (statement) => withClient((client) => run(client, statement)),
    transaction: (work) => inTransaction((client) => client.query("begin"), work),
    scoped: (projectIds, work) =>
      inTransaction(async (client) => {
        await client.query("begin");
        await client.query({
          name: "set_project_scope",
          text: "select set_config('app.projects', $1, true)",
          values: [projectIds.join(",")],
        });
      }, work),
    async check() {
      try {
        const { rows } = await withClient((client) =>
          client.query<{ unsafe: boolean }>(
            "select rolsuper or rolbypassrls as unsafe from pg_roles where rolname = current_user",
          ),
        );
        return rows[0]?.unsafe === false ? "ok" : `role ${options.role} is not bound by row-level security`;
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : "unreachable";
      }
    },
    close: () => pool.end(),
  };
}

function run<Row extends QueryResultRow>(client: PoolClient, statement: Statement): Promise<QueryResult<Row>> {
  const config: QueryConfig = { name: statement.name, text: statement.text };
  if (statement.values !== undefined) config.values = statement.values;
  return client.query<Row>(config);
}
