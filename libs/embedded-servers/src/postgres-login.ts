import pg from "pg";
import { EmbeddedServerError } from "./embedded-server-error.ts";

/** Name of the login role and of its database. */
export const loginName = "touchstone";

/**
 * Ensures that the login exists with this password, may create the services' roles and switch to them, is no superuser,
 * and owns a database. Runs at every start, so a lost password of the login is repaired.
 */
export async function ensureLogin({
  port,
  superuserPassword,
  loginPassword,
}: {
  port: number;
  superuserPassword: string;
  loginPassword: string;
}): Promise<void> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: "postgres",
    database: "postgres",
    password: superuserPassword,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  });
  client.on("error", () => {
    // The concurrent query rejects with the same error.
  });
  try {
    await client.connect();
    const roles = await client.query("select 1 from pg_roles where rolname = $1", [loginName]);
    if (roles.rowCount === 0) await client.query(`create role ${loginName}`);
    // DDL takes no parameters. A statement is never logged (log_min_error_statement), so the password is not either.
    await client.query(
      `alter role ${loginName} login createrole nosuperuser nocreatedb noreplication nobypassrls password ${pg.escapeLiteral(loginPassword)}`,
    );
    // Without it a role could create another one but not `set role` to it.
    await client.query(`alter role ${loginName} set createrole_self_grant = 'set, inherit'`);
    const databases = await client.query("select 1 from pg_database where datname = $1", [loginName]);
    if (databases.rowCount === 0) await client.query(`create database ${loginName} owner ${loginName}`);
  } catch (error) {
    throw explainLoginFailure(error);
  } finally {
    await client.end().catch(() => {});
  }
}

function explainLoginFailure(error: unknown): EmbeddedServerError {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (code === "28P01") {
    return new EmbeddedServerError(
      "home_not_usable",
      "The database does not know the password in secrets/postgres-superuser.",
      {
        hint: "Restore that file and the data in SERVICE_HOME from the same backup.",
        cause: error,
      },
    );
  }
  if (code === "53100") {
    return new EmbeddedServerError("disk_full", "PostgreSQL cannot make its database because the disk is full.", {
      hint: "Free some space on the disk that holds SERVICE_HOME; nothing is lost.",
      cause: error,
    });
  }
  return new EmbeddedServerError("server_failed", "PostgreSQL started, but its login could not be set up.", {
    hint: "logs/postgres.log in SERVICE_HOME says more; what it answered is the cause of this error.",
    cause: error,
  });
}
