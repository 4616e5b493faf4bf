import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHome, startPostgres } from "../src/index.ts";
import { startBusyQuery } from "./busy-query.ts";
import { childrenOf, startChildHome, untilReady } from "./child-home.ts";
import { isRunning, until } from "./conditions.ts";
import { query } from "./query.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe.skipIf(process.platform !== "linux")("after kill -9 of Touchstone", () => {
  test("the guardian, a shell of about a megabyte, leaves no server running, nor does its replacement", async () => {
    const folder = await temporaryFolder();
    const child = startChildHome({ folder });
    const { postgres, nats } = await untilReady(child);
    const guardians = async () =>
      (await childrenOf(child.pid)).filter((pid) => pid !== postgres.pid && pid !== nats.pid);
    const [first = 0, ...more] = await guardians();
    expect(more).toEqual([]);
    process.kill(first, "SIGKILL");
    let guardian = 0;
    await until(async () => {
      [guardian = 0] = (await guardians()).filter((pid) => pid !== first);
      return guardian !== 0;
    });
    // For a moment after its start it is a copy of its parent, and looks as large.
    await until(async () => {
      const status = await readFile(`/proc/${guardian}/status`, "utf8");
      return Number(status.match(/RssAnon:\s+(\d+) kB/)?.[1]) < 1024;
    });

    await child.kill("SIGKILL");
    for (const pid of [postgres.pid, nats.pid, guardian]) await until(async () => !(await isRunning(pid)));
    const log = await readFile(path.join(folder, "logs", "postgres.log"), "utf8");
    expect(log).toMatch(/database system is shut down\n$/);
  });

  test("and of the guardian, the next start takes over with all data and waits for no query", async () => {
    const folder = await temporaryFolder();
    const child = startChildHome({ folder });
    const old = await untilReady(child);
    await query(old.postgres.url, "create table kept (value int); insert into kept values (7)");
    const busy = await startBusyQuery(old.postgres.url);
    for (const pid of await childrenOf(child.pid)) {
      if (pid !== old.postgres.pid && pid !== old.nats.pid) process.kill(pid, "SIGKILL");
    }
    await child.kill("SIGKILL");
    expect(await isRunning(old.postgres.pid)).toBe(true);
    expect(await isRunning(old.nats.pid)).toBe(true);

    const next = startChildHome({ folder });
    const now = await untilReady(next);
    expect(await isRunning(old.postgres.pid)).toBe(false);
    expect(await isRunning(old.nats.pid)).toBe(false);
    expect(next.lines.filter((line) => line.progress?.includes("left behind"))).toHaveLength(2);
    expect(await query(now.postgres.url, "select value from kept")).toEqual([{ value: 7 }]);
    await busy.ended;
    await next.kill("SIGTERM");
    expect(await isRunning(now.postgres.pid)).toBe(false);
    expect(await isRunning(now.nats.pid)).toBe(false);
  });

  test("throw-away servers are gone too", async () => {
    const program = `
      import { startThrowAwayNats, startThrowAwayPostgres } from ${JSON.stringify(import.meta.resolve("../src/index.ts"))};
      const servers = [await startThrowAwayPostgres(), await startThrowAwayNats()];
      process.stdout.write(JSON.stringify(servers.map(({ pid }) => pid)));
      setInterval(() => {}, 60_000);`;
    const temporary = await temporaryFolder();
    await chmod(temporary, 0o755);
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      env: { TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    for (const pid of JSON.parse(String(output)) as number[]) await until(async () => !(await isRunning(pid)));
  });

  test("a foreign process with the id in postmaster.pid is left alone and stops nothing", async () => {
    const folder = await temporaryFolder();
    const open = () => openHome({ folder, onProgress: () => {} });
    const first = await open();
    await startPostgres({ home: first, onEvent: () => {} });
    const { servers } = first.folders;
    const pidFile = path.join(servers, "postgres", "postmaster.pid");
    const content = await readFile(pidFile, "utf8");
    const account = first.account;
    await first.close();

    // Run as the servers' user: only a process that PostgreSQL could signal looks like another PostgreSQL to it.
    const foreign = spawn("/bin/sleep", ["600"], {
      stdio: "ignore",
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    onTestFinished(() => void foreign.kill("SIGKILL"));
    await writeFile(pidFile, content.replace(/^\d+/, String(foreign.pid)));

    const second = await open();
    onTestFinished(() => second.close());
    const postgres = await startPostgres({ home: second, onEvent: () => {} });
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(foreign.exitCode ?? foreign.signalCode).toBeNull();
    expect(await isRunning(foreign.pid ?? 0)).toBe(true);
  });
});
