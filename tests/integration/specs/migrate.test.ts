import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { busServices } from "@touchstone/contracts";
import { createTestDatabase, findFreePort, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { programFile } from "@touchstone/testkit/program-file";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { nodeEnvironment, startServiceProcess } from "../src/service-process.ts";

const owners = busServices.filter((name) => name !== "gateway");
/** Without it the judge would not be ready anyway. */
let nats: TestNats;
let database: TestDatabase;
/** The log-in of the services, with its password apart. */
let login: { SERVICE_DB_URL: string; SERVICE_DB_PASSWORD: string };

beforeAll(async () => {
  nats = await startTestNats();
});

afterAll(() => nats?.stop());

beforeEach(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  const password = decodeURIComponent(url.password);
  url.password = "";
  login = { SERVICE_DB_URL: url.href, SERVICE_DB_PASSWORD: password };
});

afterEach(() => database.drop());

/** Runs `main.ts migrate` to its end, with nothing but the database in its environment. */
async function migrate(service: string, environment: Record<string, string> = login) {
  const env = { ...nodeEnvironment, ...environment };
  const run = promisify(execFile)("node", [programFile(service), "migrate"], { env, timeout: 120_000 });
  return run.then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ exitCode: code as number, stdout: stdout as string, stderr: stderr as string }),
  );
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a service that leaves its schema alone. */
const start = async (name: string) =>
  startServiceProcess({
    name,
    port: await findFreePort(),
    environment: {
      ...login,
      SERVICE_MIGRATE: "off",
      SERVICE_NATS_URL: nats.url,
      SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
    },
  });

async function readReadiness(address: string) {
  const answer = await fetch(`${address}/health/ready`);
  return { status: answer.status, text: await answer.text() };
}

test("every service with a schema migrates it once, from the address of its database alone", async () => {
  const first = await Promise.all(owners.map((name) => migrate(name)));
  const second = await Promise.all(owners.map((name) => migrate(name)));

  for (const [index, name] of owners.entries()) {
    expect(first[index]).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first[index]?.stdout).toMatch(new RegExp(`^${name}: schema \\w+ is migrated: 0001-.*\\.sql\\.\n$`));
    expect(second[index]?.stdout).toMatch(new RegExp(`^${name}: schema \\w+ is up to date\\.\n$`));
  }
});

test("the gateway says that it owns no schema", async () => {
  expect(await migrate("gateway", {})).toEqual({
    exitCode: 0,
    stdout: "gateway: owns no schema, there is nothing to migrate.\n",
    stderr: "",
  });
});

test("replicas and a job that migrate at the same time apply each migration once", async () => {
  const runs = await Promise.all([migrate("judge"), migrate("judge"), migrate("judge")]);

  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(runs.filter(({ stdout }) => stdout.includes("is migrated"))).toHaveLength(1);
});

test("a migration that fails is one line and exit code 1, and leaves nothing of it", async () => {
  expect((await migrate("judge")).exitCode).toBe(0);
  const before = await query("select relname from pg_class order by 1");
  // The last one is applied again, and stumbles over what it made.
  await query("delete from judge.migrations where name = (select max(name) from judge.migrations)");

  const { exitCode, stdout, stderr } = await migrate("judge");

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^judge: the migration failed: .*already exists.*\n$/);
  expect(await query("select relname from pg_class order by 1")).toEqual(before);
});

test("a database that cannot be reached is one line and exit code 1, without the password", async () => {
  const { exitCode, stderr } = await migrate("judge", {
    SERVICE_DB_URL: "postgres://judge@127.0.0.1:1/touchstone",
    SERVICE_DB_PASSWORD: "hunter2hunter2",
  });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^judge: the migration failed: The database is unavailable.*ECONNREFUSED.*\n$/);
  expect(stderr).not.toContain("hunter2");
});

// The judge works without its schema, but not on one that lacks migrations.
for (const name of ["auth", "judge"]) {
  test(`${name} with SERVICE_MIGRATE=off names the command until it has run, then becomes ready`, async () => {
    const service = await start(name);
    try {
      await vi.waitFor(async () => {
        const { status, text } = await readReadiness(service.address);
        // Only the schema is missing.
        expect(text).toMatch(/"bus":"(ok|connected)"/);
        expect(status).toBe(503);
        expect(text).toContain(`node services/${name}/src/main.ts migrate`);
      });
      expect(await query(`select from pg_namespace where nspname = '${name}'`)).toEqual([]);

      expect((await migrate(name)).exitCode).toBe(0);

      await vi.waitFor(async () => expect((await readReadiness(service.address)).status).toBe(200));
    } finally {
      await service.kill();
    }
  });
}

test("a version works on the schema of a newer one", async () => {
  await migrate("auth");
  await query("insert into auth.migrations (name, sha256) values ('9999-of-a-newer-version.sql', 'unknown')");

  const service = await start("auth");
  try {
    await vi.waitFor(async () => expect((await readReadiness(service.address)).status).toBe(200));
  } finally {
    await service.kill();
  }
  expect((await migrate("auth")).stdout).toBe("auth: schema auth is up to date.\n");
});
