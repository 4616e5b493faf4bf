import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLogger } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrateSchema, openDatabase, rolesOf } from "../src/index.ts";

const logger = createLogger({ service: "db-test", level: "silent" });
let database: TestDatabase;
let directory: string;

beforeEach(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), "migrations-"));
});

afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const migrate = () => migrateSchema({ url: database.url, schema: "sample", directory, logger });
const openAs = (role: string) =>
  openDatabase({
    url: database.url,
    role,
    applicationName: "test",
    connectionsMax: 2,
    statementTimeoutMs: 2_000,
    logger,
  });

const notesTable = `
  create function sample.projects() returns uuid[] language sql stable
  as $$ select string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[] $$;
  create table sample.notes (project_id uuid not null, body text);
  alter table sample.notes enable row level security;
  alter table sample.notes force row level security;
  create policy scope on sample.notes to touchstone_sample_app
    using (project_id = any ((select sample.projects())::uuid[]))
    with check (project_id = any ((select sample.projects())::uuid[]));
  grant usage on schema sample to touchstone_sample_app;
  grant select, insert on sample.notes to touchstone_sample_app;`;

test("a migration runs once, and a second start applies nothing", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);

  expect(await migrate()).toEqual({ applied: ["0001-notes.sql"] });
  expect(await migrate()).toEqual({ applied: [] });
});

test("eight replicas that migrate at once apply each migration once", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);

  const outcomes = await Promise.all(Array.from({ length: 8 }, migrate));

  expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual(["0001-notes.sql"]);
});

test("a migration that fails leaves nothing behind and can be fixed", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), `${notesTable} select no_such_function();`);
  await expect(migrate()).rejects.toThrow("no_such_function");

  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);

  expect(await migrate()).toEqual({ applied: ["0001-notes.sql"] });
});

test("a migration edited after it ran refuses the start", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);
  await migrate();
  await writeFile(path.join(directory, "0001-notes.sql"), `${notesTable} -- edited`);

  await expect(migrate()).rejects.toThrow("changed after it was applied");
});

test("a scoped transaction sees and writes the rows of its projects only", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);
  await migrate();
  const app = openAs(rolesOf("sample").app);
  const [mine, foreign] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
  const insert = (projectId: string) => ({
    name: "insert_note",
    text: "insert into sample.notes (project_id, body) values ($1, 'a note')",
    values: [projectId],
  });
  const count = { name: "count_notes", text: "select count(*)::int as n from sample.notes" };

  await app.scoped([mine], (transaction) => transaction.query(insert(mine)));
  const seen = async (projects: string[]) =>
    (await app.scoped(projects, (transaction) => transaction.query<{ n: number }>(count))).rows[0]?.n;

  expect(await seen([mine])).toBe(1);
  expect(await seen([foreign])).toBe(0);
  expect(await seen([])).toBe(0);
  await expect(app.scoped([mine], (transaction) => transaction.query(insert(foreign)))).rejects.toThrow(
    "row-level security",
  );
  await app.close();
});

test("a database opened as a superuser's role reports that row-level security does not bind it", async () => {
  const superuser = openDatabase({
    url: database.adminUrl,
    role: "postgres",
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 2_000,
    logger,
  });

  expect(await superuser.check()).toContain("not bound by row-level security");
  await superuser.close();
});

test("a server that is down is store_unavailable, and a slow statement is cancelled", async () => {
  await writeFile(path.join(directory, "0001-notes.sql"), notesTable);
  await migrate();
  const away = openDatabase({
    url: "postgres://nobody@127.0.0.1:1/none",
    role: "none",
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 1_000,
    logger,
  });
  const slow = openAs(rolesOf("sample").app);

  await expect(away.query({ name: "one", text: "select 1" })).rejects.toMatchObject({ code: "store_unavailable" });
  await expect(slow.query({ name: "sleep", text: "select pg_sleep(10)" })).rejects.toMatchObject({
    code: "store_unavailable",
  });
  expect((await slow.query<{ one: number }>({ name: "one", text: "select 1 as one" })).rows).toEqual([{ one: 1 }]);
  await Promise.all([away.close(), slow.close()]);
});
