import { currentTraceparent, traced } from "@touchstone/service-kit";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { isConnectionSound, translateConnectionError, translateDatabaseError } from "./database-error.ts";
import { createPreparedNames, type PreparedName } from "./statement-names.ts";

/** A statement: SQL with a name that logs show, and its parameters. With a name it is prepared, by its text. */
export interface Statement {
  name: string;
  text: string;
  values?: unknown[];
}

/** Sends statements together to one connection and returns their results in order. */
export type Connection = (statements: readonly Statement[]) => Promise<QueryResult[]>;

/** Runs `work` on one connection. If that may still wait for an answer at the end, it is discarded. */
export type WithConnection = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>;

/** Lends the connections of a pool, and translates their failures. */
export function createConnections(pool: Pool): WithConnection {
  const preparedName = createPreparedNames();
  return async (work) => {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (cause) {
      throw translateConnectionError(cause);
    }
    let isSound = true;
    try {
      return await work(async (statements) => {
        const outcomes = await traceStatements(statements, () =>
          Promise.allSettled(sendTogether(client, statements, preparedName)),
        );
        const results: QueryResult[] = [];
        for (const outcome of outcomes) {
          if (outcome.status === "fulfilled") {
            results.push(outcome.value);
          } else {
            // After our timeout the connection still waits for the old answer: it must not be reused.
            if (outcomes.some((each) => each.status === "rejected" && !isConnectionSound(each.reason))) isSound = false;
            throw translateDatabaseError(outcome.reason);
          }
        }
        return results;
      });
    } finally {
      client.release(!isSound);
    }
  };
}

/** The statements are sent in one write: the server wakes up once, and its answers arrive in as few packets. */
function sendTogether(
  client: PoolClient,
  statements: readonly Statement[],
  preparedName: PreparedName,
): Promise<QueryResult>[] {
  const { stream } = client.connection;
  stream.cork();
  try {
    return statements.map(({ name, text, values }) => {
      const config: QueryConfig = { text };
      const prepared = name === "" ? null : preparedName(name, text);
      if (prepared !== null) config.name = prepared;
      if (values !== undefined) config.values = values;
      return client.query(config);
    });
  } finally {
    stream.uncork();
  }
}

/** One step of a trace for statements that are sent together. It has their names, never their text or parameters. */
function traceStatements<Result>(statements: readonly Statement[], send: () => Promise<Result>): Promise<Result> {
  if (currentTraceparent() === undefined) return send();
  const names = statements.map(({ name, text }) => name || text);
  const attributes = { "db.system.name": "postgresql", "db.operation.name": names.join(", ") };
  const name = names.find((each) => !frame.has(each)) ?? names[0] ?? "";
  return traced({ name, kind: "client", attributes }, send);
}

/** What surrounds the statements of a transaction. */
const frame: ReadonlySet<string> = new Set(["begin", "begin read only", "commit", "rollback", "set_project_scope"]);
