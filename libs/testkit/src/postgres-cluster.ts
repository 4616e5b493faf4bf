import { startThrowAwayPostgres } from "@touchstone/embedded-servers";
import { Client } from "pg";

/** The maximum number of sessions of all test files of a run together. */
const connectionsMax = 300;

/** The login of every test database. Services log in with it and switch to their role with `-c role=...`. */
export const testLogin = "touchstone";

/** Starts the cluster of a test run and creates the one login role that owns every test database. */
export async function startTestPostgres({
  usesContainers,
}: {
  usesContainers: boolean;
}): Promise<{ adminUrl: string; stop: () => Promise<void> }> {
  const cluster = usesContainers ? await startContainer() : await startProcess();
  const client = new Client({ connectionString: cluster.adminUrl });
  try {
    await client.connect();
    // Without createrole_self_grant a role could create another one but not `set role` to it.
    await client.query(`create role ${testLogin} login createrole nosuperuser`);
    await client.query(`alter role ${testLogin} set createrole_self_grant = 'set, inherit'`);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  } finally {
    await client.end();
  }
}

async function startProcess(): Promise<{ adminUrl: string; stop: () => Promise<void> }> {
  const server = await startThrowAwayPostgres({ connectionsMax });
  return { adminUrl: server.url, stop: server.stop };
}

async function startContainer(): Promise<{ adminUrl: string; stop: () => Promise<void> }> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer("postgres:18")
    .withEnvironment({
      POSTGRES_HOST_AUTH_METHOD: "trust",
      POSTGRES_INITDB_ARGS:
        "--no-sync --encoding=UTF8 --locale=C --lc-ctype=C.UTF-8 --locale-provider=builtin --builtin-locale=C.UTF-8",
    })
    .withCommand([
      "postgres",
      "-c",
      `max_connections=${connectionsMax}`,
      "-c",
      "fsync=off",
      "-c",
      "full_page_writes=off",
    ])
    .withExposedPorts(5432)
    // The image starts the server twice; the first one only runs the set-up scripts.
    .withWaitStrategy(Wait.forLogMessage("database system is ready to accept connections", 2))
    .start();
  return {
    adminUrl: `postgres://postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
}
