import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHome, startPostgres, type TouchstoneHome } from "../src/index.ts";
import { startChildHome } from "./child-home.ts";
import { isRunning, until } from "./conditions.ts";
import { query } from "./query.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function openTestHome(folder: string): Promise<TouchstoneHome & { said: string[] }> {
  const said: string[] = [];
  const home = await openHome({ folder, onProgress: (message) => said.push(message) });
  onTestFinished(() => home.close());
  return Object.assign(home, { said });
}

const onEvent = () => {};

describe("a home's PostgreSQL", () => {
  test("keeps its data over a restart and gives a login that is no superuser", async () => {
    const folder = await temporaryFolder();
    const first = await openTestHome(folder);
    const postgres = await startPostgres({ home: first, onEvent });
    expect(first.said.join("\n")).toMatch(
      /Copying PostgreSQL 18.*\n.*Creating a PostgreSQL 18 cluster.*\n.*ready on port/,
    );
    const [login] = await query(
      postgres.url,
      `create table kept (value text); insert into kept values ('ÄÖ');
       create role reader; grant select on kept to reader; set role reader;
       select current_user::text as taken, rolsuper, rolcreaterole, rolbypassrls, lower(value) as folded
       from pg_roles, kept where rolname = 'touchstone'`,
    );
    expect(login).toEqual({ taken: "reader", rolsuper: false, rolcreaterole: true, rolbypassrls: false, folded: "äö" });
    await first.close();
    expect(await isRunning(postgres.pid)).toBe(false);
    await first.close();

    const second = await openTestHome(folder);
    const again = await startPostgres({ home: second, onEvent });
    expect(second.said).toEqual([`PostgreSQL is ready on port ${again.port}.`]);
    expect(await query(again.url, "select value from kept")).toEqual([{ value: "ÄÖ" }]);
  });

  test("is durable, asks everyone for a password and protects its secrets", async () => {
    const folder = await temporaryFolder();
    const home = await openTestHome(folder);
    const postgres = await startPostgres({ home, onEvent });
    const superuserPassword = await readFile(path.join(folder, "secrets", "postgres-superuser"), "utf8");
    const [settings] = await query(
      `postgres://postgres:${superuserPassword.trim()}@127.0.0.1:${postgres.port}/postgres`,
      `select ${[
        "fsync",
        "synchronous_commit",
        "full_page_writes",
        "jit",
        "listen_addresses",
        "unix_socket_directories",
        "max_connections",
        "server_encoding",
        "log_min_error_statement",
      ]
        .map((name) => `current_setting('${name}') as ${name}`)
        .join(", ")}`,
    );
    expect(settings).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      jit: "off",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "200",
      server_encoding: "UTF8",
      log_min_error_statement: "panic",
    });
    for (const user of ["postgres", "touchstone"]) {
      await expect(query(`postgres://${user}:wrong@127.0.0.1:${postgres.port}/postgres`, "select 1")).rejects.toThrow(
        /password authentication failed/,
      );
    }
    const secrets = await readdir(path.join(folder, "secrets"));
    expect(secrets.sort()).toEqual(["postgres-login", "postgres-superuser"]);
    for (const name of secrets) {
      const file = path.join(folder, "secrets", name);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const secret = (await readFile(file, "utf8")).trim();
      expect(Buffer.from(secret, "base64url")).toHaveLength(32);
      expect(await readFile(path.join(folder, "logs", "postgres.log"), "utf8")).not.toContain(secret);
    }
    expect((await stat(path.join(folder, "postgres"))).mode & 0o777).toBe(0o700);
    if (process.getuid?.() === 0) {
      expect((await stat(path.join(folder, "postgres"))).uid).toBe(home.account?.uid);
      expect(await readFile(`/proc/${postgres.pid}/status`, "utf8")).toMatch(
        /Uid:\t61047\t61047\t61047\t61047\nGid:\t61047/,
      );
    }
  });

  test("gives the login a new password when its file was lost", async () => {
    const folder = await temporaryFolder();
    const first = await openTestHome(folder);
    const before = await startPostgres({ home: first, onEvent });
    await first.close();
    await writeFile(path.join(folder, "secrets", "postgres-login"), "another-password\n", { mode: 0o600 });
    const second = await openTestHome(folder);
    const after = await startPostgres({ home: second, onEvent });
    expect(after.url).not.toBe(before.url);
    expect(await query(after.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("refuses data of another version in one sentence and leaves them unchanged", async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, "postgres"), { mode: 0o700 });
    await writeFile(path.join(folder, "postgres", "PG_VERSION"), "17\n");
    const home = await openTestHome(folder);
    await expect(startPostgres({ home, onEvent })).rejects.toMatchObject({
      code: "data_of_another_version",
      message: "The data were written by PostgreSQL 17, and this is PostgreSQL 18.",
      hint: expect.stringContaining("docs/operating/backup.md"),
    });
    expect(await readdir(path.join(folder, "postgres"))).toEqual(["PG_VERSION"]);
  });

  test("reports a requested port that is in use", async () => {
    const home = await openTestHome(await temporaryFolder());
    const one = await startPostgres({ home, onEvent });
    const other = await openTestHome(await temporaryFolder());
    await expect(startPostgres({ home: other, port: one.port, onEvent })).rejects.toMatchObject({
      code: "port_in_use",
      message: `PostgreSQL cannot listen on port ${one.port} of 127.0.0.1, because another program does.`,
    });
  });

  test("is stopped by closing the home during its start", async () => {
    const folder = await temporaryFolder();
    const home = await openTestHome(folder);
    const starting = startPostgres({ home, onEvent });
    await until(
      async () => (await readFile(path.join(folder, "postgres", "postmaster.pid"), "utf8").catch(() => "")) !== "",
    );
    const pid = Number.parseInt(await readFile(path.join(folder, "postgres", "postmaster.pid"), "utf8"), 10);
    await home.close();
    await starting.catch(() => {});
    expect(await isRunning(pid)).toBe(false);
    await expect(startPostgres({ home, onEvent })).rejects.toThrow("The home is closed.");
  });

  test("is created again after a kill in the middle of initdb", async () => {
    const folder = await temporaryFolder();
    const partials = async () =>
      (await readdir(folder)).filter((name) => name.endsWith(".partial") && name.startsWith("postgres."));
    const child = startChildHome({ folder });
    await until(async () => (await partials()).length > 0);
    const [partial] = await partials();
    await until(async () => (await readdir(path.join(folder, partial ?? "", "data")).catch(() => [])).length > 5);
    await child.kill("SIGKILL");
    expect(child.lines.some((line) => line.ready)).toBe(false);

    const home = await openTestHome(folder);
    const postgres = await startPostgres({ home, onEvent });
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await partials()).toEqual([]);
  });
});
