import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";
import { testLogin } from "./postgres-cluster.ts";

export interface TestDatabase {
  /** The URL of the login `touchstone`: it owns the database and may create roles, but is no superuser. */
  url: string;
  /** The URL of the superuser, in the same database. */
  adminUrl: string;
  /** Deletes the database and ends its remaining sessions. May be called twice. */
  drop(): Promise<void>;
}

/**
 * A new, empty database in the cluster of the test run. Roles belong to the cluster and outlive the database, and other
 * files create the same ones concurrently: create a role only if it does not exist, and handle losing that race.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const clusterUrl = inject("postgresAdminUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runInCluster(
    clusterUrl,
    `create database ${name} owner ${testLogin} template template0 encoding 'UTF8'
       locale_provider builtin builtin_locale 'C.UTF-8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
  );
  const adminUrl = new URL(clusterUrl);
  adminUrl.pathname = `/${name}`;
  const url = new URL(adminUrl);
  url.username = testLogin;
  return {
    url: url.href,
    adminUrl: adminUrl.href,
    drop: () => runInCluster(clusterUrl, `drop database if exists ${name} with (force)`),
  };
}

async function runInCluster(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}
