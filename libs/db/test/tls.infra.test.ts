import { chmod, chown, copyFile, stat } from "node:fs/promises";
import path from "node:path";
import { createLogger } from "@touchstone/service-kit";
import { findFreePort, startThrowAwayPostgres, type ThrowAwayPostgres, testCertificates } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../src/index.ts";

const logger = createLogger({ service: "ingest", level: "silent" });
const { caFile, otherCaFile, server } = testCertificates;
let postgres: ThrowAwayPostgres;

beforeAll(async () => {
  postgres = await startThrowAwayPostgres({ port: await findFreePort() });
  const { dataFolder } = postgres;
  const { uid, gid } = await stat(dataFolder);
  // PostgreSQL refuses a key that others can read.
  for (const [from, name] of [
    [server.certFile, "server.crt"],
    [server.keyFile, "server.key"],
  ] as const) {
    const file = path.join(dataFolder, name);
    await copyFile(from, file);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("alter system set ssl = on");
  await client.end();
  await postgres.restart();
});

afterAll(() => postgres?.stop());

async function isEncrypted(query: string): Promise<string> {
  const database = openDatabase({
    url: `${postgres.url}?${query}`,
    role: "postgres",
    applicationName: "tls",
    connectionsMax: 1,
    statementTimeoutMs: 5_000,
    logger,
  });
  try {
    const { rows } = await database.query<{ ssl: boolean }>({
      name: "read ssl",
      text: "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
    });
    return String(rows[0]?.ssl);
  } catch (error) {
    expect(error).toMatchObject({ code: "store_unavailable" });
    return String((error as Error).cause);
  } finally {
    await database.close();
  }
}

test("a URL with sslmode and sslrootcert demands an encrypted connection to a server that the authority knows", async () => {
  expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${caFile}`)).toBe("true");
  expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${otherCaFile}`)).toMatch(/unable to verify|self-signed/);
  expect(await isEncrypted("sslmode=verify-full&sslrootcert=/nowhere/ca.pem")).toContain("/nowhere/ca.pem");
  expect(await isEncrypted("sslmode=disable")).toBe("false");
});
