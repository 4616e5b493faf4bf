import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLogger, isAppError } from "@touchstone/service-kit";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  createProjectClosing,
  createProjectDeletions,
  type Database,
  migrateSchema,
  openDatabase,
  type ProjectDeletions,
  rolesOf,
} from "../src/index.ts";

const schema = "deletions";
const logger = createLogger({ service: "test", level: "silent" });
const hourMs = 3_600_000;
let database: TestDatabase;
let maintenance: Database;
let app: Database;
const running: ProjectDeletions[] = [];

/** Like the services' own migrations, with one table of things. */
const migration = `
  create table deletions.things (project_id uuid not null, id integer not null, primary key (project_id, id));
  create table deletions.heavy_things (project_id uuid not null, id integer not null, primary key (project_id, id));
  create table deletions.removals (project_id uuid not null, id integer generated always as identity, rows integer not null);
  create function deletions.remove_slowly() returns trigger language plpgsql as $$
  begin
    insert into deletions.removals (project_id, rows) select project_id, count(*) from removed group by project_id;
    perform pg_sleep(0.01 * count(*)) from removed;
    return null;
  end
  $$;
  create trigger heavy after delete on deletions.heavy_things
    referencing old table as removed for each statement execute function deletions.remove_slowly();
  create table deletions.deleted_projects (
    project_id uuid primary key,
    closed_at timestamptz not null default now(),
    confirmed_at timestamptz,
    next_pass_at timestamptz default now()
  );
  create table deletions.outbox (id bigint generated always as identity primary key, subject text, body text);
  create function deletions.open_projects(projects text) returns text language plpgsql as $$
  begin
    if exists (
      select from deletions.deleted_projects
      where project_id = any (string_to_array(nullif(projects, ''), ',')::uuid[])
    ) then
      raise exception using errcode = 'TSD01', message = 'the project was deleted';
    end if;
    return projects;
  end
  $$;
  grant usage on schema deletions to touchstone_deletions_app, touchstone_deletions_maintenance;
  grant all on all tables in schema deletions to touchstone_deletions_app, touchstone_deletions_maintenance;
`;

beforeAll(async () => {
  database = await createTestDatabase();
  const directory = await mkdtemp(path.join(tmpdir(), "deletions-"));
  await writeFile(path.join(directory, "0001-things.sql"), migration);
  await migrateSchema({ url: database.url, schema, directory, logger });
  await rm(directory, { recursive: true });
  maintenance = open("maintenance");
  app = open("app");
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

afterAll(async () => {
  await maintenance?.close();
  await app?.close();
  await database?.drop();
});

function open(purpose: "app" | "maintenance"): Database {
  return openDatabase({
    url: database.url,
    role: rolesOf(schema)[purpose],
    applicationName: "test",
    connectionsMax: 4,
    statementTimeoutMs: 5_000,
    openProjects: purpose === "app" ? "deletions.open_projects" : undefined,
    logger,
  });
}

function start(graceMs = 400, table = "things"): ProjectDeletions {
  const deletions = createProjectDeletions({
    database: maintenance,
    schema,
    tables: [{ name: table }],
    confirmation: { subject: "gone", body: { parse: ({ projectId }) => projectId } },
    onConfirmed: () => undefined,
    logger,
    graceMs,
    pollMs: 20,
  });
  running.push(deletions);
  return deletions;
}

const closing = (waitMs?: number) =>
  createProjectClosing({ database: maintenance, schema, logger, ...(waitMs !== undefined && { waitMs }) });

const store = (projectId: string, from: number, to: number) =>
  maintenance.query({
    name: "things_insert",
    text: "insert into deletions.things select $1, generate_series($2::integer, $3::integer)",
    values: [projectId, from, to],
  });

async function count(what: string, projectId: string): Promise<number> {
  const { rows } = await maintenance.query<{ n: number }>({
    name: "",
    text: `select count(*)::integer as n from deletions.${what} = $1`,
    values: [projectId],
  });
  return rows[0]?.n ?? 0;
}

const things = (projectId: string) => count("things where project_id", projectId);
const confirmations = (projectId: string) => count("outbox where body", JSON.stringify(projectId));

test("rows that an open request stores after the first pass are deleted too, before the confirmation", async () => {
  const gone = crypto.randomUUID();
  await store(gone, 1, 2_500);
  await start(2 * hourMs).begin(gone);
  // The first pass has ended: the next one is after the grace period.
  const waiting = "deleted_projects where next_pass_at > now() + interval '1 hour' and project_id";
  await vi.waitFor(async () => expect(await count(waiting, gone)).toBe(1));
  expect([await things(gone), await confirmations(gone)]).toEqual([0, 0]);

  await store(gone, 1, 10);
  await maintenance.query({
    name: "grace_end",
    text: "update deletions.deleted_projects set closed_at = now() - interval '3 hours', next_pass_at = now()",
  });

  await vi.waitFor(async () => expect(await confirmations(gone)).toBe(1));
  expect(await things(gone)).toBe(0);
});

test("once a project is closed no transaction begins in its scope, alone or beside others", async () => {
  const [gone, kept] = [crypto.randomUUID(), crypto.randomUUID()];
  const read = { name: "one", text: "select 1 as one" };
  await expect(app.readScoped([gone, kept], read)).resolves.toBeDefined();

  await start().begin(gone);

  for (const scope of [[gone], [kept, gone]]) {
    await expect(app.readScoped(scope, read)).rejects.toSatisfy(
      (err) => isAppError(err) && err.code === "unauthorized",
    );
    await expect(app.scoped(scope, (transaction) => transaction.query(read))).rejects.toThrow(
      "Invalid or missing API key",
    );
  }
  await expect(app.readScoped([kept], read)).resolves.toBeDefined();
  await expect(app.readScoped([], read)).resolves.toBeDefined();
});

test("a project is closed when no earlier transaction can commit in it any more", async () => {
  const gone = crypto.randomUUID();
  const read = { name: "one", text: "select 1 as one" };
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const events: string[] = [];
  let hasBegun = (): void => {};
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const earlier = app.scoped([gone], async (transaction) => {
    await transaction.query(read);
    hasBegun();
    await ended;
    await transaction.query(read);
    events.push("stored");
  });
  await begun;

  const closed = closing()([gone]).then(() => events.push("closed"));
  await vi.waitFor(() => expect(app.readScoped([gone], read)).rejects.toThrow("Invalid or missing API key"));
  expect(events).toEqual([]);
  end();
  await Promise.all([earlier, closed]);

  expect(events).toEqual(["stored", "closed"]);
});

test("closing a project waits for an open transaction up to its time limit and no longer", async () => {
  const gone = crypto.randomUUID();
  const read = { name: "one", text: "select 1 as one" };

  await app.scoped([gone], async (transaction) => {
    await transaction.query(read);
    await closing(100)([gone]);
  });

  await expect(app.readScoped([gone], read)).rejects.toThrow("Invalid or missing API key");
});

test("a deletion that is announced again is confirmed again, and not before it is done", async () => {
  const gone = crypto.randomUUID();
  await store(gone, 1, 5);
  const deletions = start();
  await deletions.begin(gone);
  await deletions.begin(gone);
  await vi.waitFor(async () => expect(await confirmations(gone)).toBe(1));

  await deletions.begin(gone);

  expect(await confirmations(gone)).toBe(2);
});

test("rows that take long to remove are removed in small transactions", async () => {
  const gone = crypto.randomUUID();
  await maintenance.query({
    name: "heavy_things_insert",
    text: "insert into deletions.heavy_things select $1, generate_series(1, 150)",
    values: [gone],
  });

  await start(400, "heavy_things").begin(gone);

  await expect.poll(() => confirmations(gone)).toBe(1);
  const { rows } = await maintenance.query<{ rows: number }>({
    name: "removals",
    text: "select rows from deletions.removals where project_id = $1 order by id",
    values: [gone],
  });
  const [first, ...others] = rows.map((removal) => removal.rows);
  expect(first).toBe(50);
  expect(Math.max(...others)).toBeLessThanOrEqual(25);
  expect(Math.min(...others)).toBeLessThanOrEqual(13);
});

test("one replica finishes the half-done work of another, and several at once confirm once", async () => {
  const gone = crypto.randomUUID();
  await store(gone, 1, 20_000);
  const first = start();
  // It cannot finish before it is stopped: one row in the middle is locked until then.
  const stopped = await maintenance.transaction(async (transaction) => {
    await transaction.query({
      name: "",
      text: "select from deletions.things where project_id = $1 and id = 10000 for update",
      values: [gone],
    });
    await first.begin(gone);
    await vi.waitFor(async () => expect(await things(gone)).toBeLessThan(20_000));
    return { first: first.stop() };
  });
  await stopped.first;
  expect(await things(gone)).toBeGreaterThan(0);

  start();
  start();

  await vi.waitFor(async () => expect(await confirmations(gone)).toBe(1));
  expect(await things(gone)).toBe(0);
});

test("a project of a killed process is taken over when its claim expires", async () => {
  const gone = crypto.randomUUID();
  await store(gone, 1, 5);
  await maintenance.query({
    name: "claimed",
    text: "insert into deletions.deleted_projects (project_id, next_pass_at) values ($1, now() + interval '300 ms')",
    values: [gone],
  });

  start();

  await vi.waitFor(async () => expect(await confirmations(gone)).toBe(1));
  expect(await things(gone)).toBe(0);
});
