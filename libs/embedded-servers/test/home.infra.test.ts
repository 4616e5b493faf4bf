import { chmod, chown, mkdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHome, startPostgres } from "../src/index.ts";
import { canEnter, type ServerAccount } from "../src/server-account.ts";
import { startChildHome, untilReady } from "./child-home.ts";
import { isRunning, until } from "./conditions.ts";
import { query } from "./query.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const isRoot = process.getuid?.() === 0;
const onProgress = () => {};
const onEvent = () => {};

describe("a home", () => {
  test("belongs to one process at a time, and is free when that one is killed", async () => {
    const folder = await temporaryFolder();
    const child = startChildHome({ folder });
    const { postgres, nats } = await untilReady(child);
    await expect(openHome({ folder, onProgress })).rejects.toMatchObject({
      code: "already_running",
      message: `Touchstone is already running on ${folder} (process ${child.pid}).`,
    });
    await child.kill("SIGKILL");
    const home = await openHome({ folder, onProgress });
    await expect(openHome({ folder, onProgress })).rejects.toMatchObject({ code: "already_running" });
    await home.close();
    await (await openHome({ folder, onProgress })).close();
    for (const { pid } of [postgres, nats]) await until(async () => !(await isRunning(pid)));
  });

  test("that is no folder, or cannot be created, is refused in one sentence", async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, "file");
    await writeFile(file, "");
    await expect(openHome({ folder: file, onProgress })).rejects.toMatchObject({ code: "home_not_usable" });
    await expect(openHome({ folder: path.join(file, "below"), onProgress })).rejects.toMatchObject({
      code: "home_not_usable",
      message: `${path.join(file, "below")} cannot be used as a folder.`,
    });
  });

  test("that others can change is closed when it is empty, and refused when it holds other files", async () => {
    const empty = await temporaryFolder();
    await chmod(empty, 0o777);
    await (await openHome({ folder: empty, onProgress })).close();
    expect((await stat(empty)).mode & 0o022).toBe(0);

    const used = await temporaryFolder();
    await writeFile(path.join(used, "thesis.txt"), "");
    await chmod(used, 0o777);
    await expect(openHome({ folder: used, onProgress })).rejects.toMatchObject({
      code: "home_not_usable",
      message: `${used} can be changed by other users.`,
    });
    expect((await stat(used)).mode & 0o777).toBe(0o777);
  });
});

describe.runIf(isRoot)("as root", () => {
  test("a home that the servers' user cannot enter keeps its data elsewhere permanently", async () => {
    const closed = await temporaryFolder();
    const [disk, place] = [await temporaryFolder(), await temporaryFolder()];
    for (const each of [disk, place]) await chmod(each, 0o755);
    const elsewhere = path.join(place, "link to a larger disk");
    await symlink(disk, elsewhere);
    const folder = path.join(closed, "home");
    const said: string[] = [];
    const open = () => openHome({ folder, elsewhere, onProgress: (message) => said.push(message) });
    const first = await open();
    const postgres = await startPostgres({ home: first, onEvent });
    await query(postgres.url, "create table kept (value int); insert into kept values (7)");
    await first.close();
    const servers = await readlink(path.join(folder, "servers"));
    expect(servers.startsWith(path.join(disk, "homes"))).toBe(true);
    expect(first.folders.servers).toBe(servers);
    expect(said[0]).toBe(`The servers' user (id 61047) cannot enter ${folder}, so their data are in ${servers}.`);

    const second = await open();
    onTestFinished(() => second.close());
    const again = await startPostgres({ home: second, onEvent });
    expect(second.folders.servers).toBe(servers);
    expect(await query(again.url, "select value from kept")).toEqual([{ value: 7 }]);
    await expect(open()).rejects.toMatchObject({
      message: `Touchstone is already running on ${folder} (process ${process.pid}).`,
    });
  });

  test("a home in which the dashboard was built first is opened to the servers' user", async () => {
    const parent = await temporaryFolder();
    await chmod(parent, 0o755);
    const folder = path.join(parent, "home");
    await mkdir(path.join(folder, "dashboard"), { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const home = await openHome({ folder, elsewhere: await temporaryFolder(), onProgress });
    onTestFinished(() => home.close());
    expect(home.folders.servers).toBe(home.folders.home);
  });

  test("a home without a folder elsewhere is refused in one sentence", async () => {
    const closed = await temporaryFolder();
    const folder = path.join(closed, "home");
    await expect(openHome({ folder, elsewhere: path.join(closed, "too"), onProgress })).rejects.toMatchObject({
      code: "home_not_usable",
      message: `The servers' user (id 61047) cannot enter ${folder}, nor ${path.join(closed, "too")}.`,
    });
  });

  test("a home that the servers' user can no longer enter is refused rather than recreated", async () => {
    const parent = await temporaryFolder();
    await chmod(parent, 0o755);
    const folder = path.join(parent, "home");
    const home = await openHome({ folder, onProgress });
    await mkdir(path.join(folder, "postgres"));
    await home.close();
    await chmod(parent, 0o700);
    await expect(openHome({ folder, onProgress })).rejects.toMatchObject({
      code: "home_not_usable",
      message: `The servers' user (id 61047) cannot enter ${folder}, though it holds their data.`,
    });
  });

  test("a home of another user is refused in one sentence", async () => {
    const folder = await temporaryFolder();
    await chown(folder, 1, 1);
    await expect(openHome({ folder, onProgress })).rejects.toMatchObject({
      message: `${folder} belongs to user 1, but Touchstone runs as user 0.`,
    });
  });

  test("a strict umask denies nothing to the servers' user", async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const closed = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    await chmod(elsewhere, 0o755);
    for (const options of [{ folder: await temporaryFolder() }, { folder: path.join(closed, "home"), elsewhere }]) {
      const home = await openHome({ ...options, onProgress });
      onTestFinished(() => home.close());
      const postgres = await startPostgres({ home, onEvent });
      expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    }
  });

  test("an ordinary user needs no setup", async (context) => {
    const user = await ordinaryUser();
    if (!(await canEnter(import.meta.dirname, user)) || !(await canEnter(path.dirname(process.execPath), user))) {
      context.skip("Other users cannot read this copy of the repository.");
    }
    const parent = await temporaryFolder();
    await chmod(parent, 0o755);
    const own = path.join(parent, "own");
    await mkdir(own, { mode: 0o700 });
    await chown(own, user.uid, user.gid);
    const child = startChildHome({ folder: path.join(own, ".touchstone"), uid: user.uid, gid: user.gid });
    const { postgres, nats } = await untilReady(child);
    for (const { pid } of [postgres, nats]) {
      expect(await readFile(`/proc/${pid}/status`, "utf8")).toMatch(new RegExp(`Uid:\t${user.uid}\t${user.uid}\t`));
    }
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await child.kill("SIGTERM");
    expect(child.lines.at(-1)).toEqual({ closed: true });
    expect(await isRunning(postgres.pid)).toBe(false);
    expect(await isRunning(nats.pid)).toBe(false);

    const refused = startChildHome({ folder: path.join(parent, "not-mine"), uid: user.uid, gid: user.gid });
    expect(await refused.line((line) => line.failed !== undefined)).toMatchObject({
      failed: { code: "no_permission", message: `Touchstone may not write ${path.join(parent, "not-mine")}.` },
    });
  });

  test("a full disk is reported in one sentence, and free space is enough to continue", async (context) => {
    const disk = await mountSmallDisk("40m");
    if (disk === null) return context.skip("This system does not let us mount a small disk.");
    const folder = path.join(disk.folder, "home");
    const home = await openHome({ folder, onProgress });
    onTestFinished(() => home.close());
    await expect(startPostgres({ home, onEvent })).rejects.toMatchObject({
      code: "disk_full",
      message: `The disk that holds ${folder} is full.`,
    });
    await disk.resize("75m");
    await expect(startPostgres({ home, onEvent })).rejects.toMatchObject({
      code: "disk_full",
      message: "PostgreSQL did not start because the disk is full.",
    });
    await disk.resize("400m");
    const postgres = await startPostgres({ home, onEvent });
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

/** A user of this system other than root, as the account of a child process. */
async function ordinaryUser(): Promise<ServerAccount> {
  const lines = (await readFile("/etc/passwd", "utf8")).trim().split("\n");
  const [, , uid, gid] = lines.map((line) => line.split(":")).find((fields) => Number(fields[2]) > 0) ?? [];
  return { uid: Number(uid), gid: Number(gid), initdbUid: Number(uid) };
}
