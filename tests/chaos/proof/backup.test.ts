/** Backups of a home that runs, and what may go wrong with them: nothing that was acknowledged is lost, and each failure is a sentence. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  backUpHome,
  type EmbeddedPostgres,
  endBackups,
  openHome,
  restoreHome,
  startPostgres,
  type TouchstoneHome,
} from "@touchstone/embedded-servers";
import pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { mountVolume } from "../src/volume.ts";

const commands = path.resolve(import.meta.dirname, "../../../apps/standalone/src/backup");
const { signal } = new AbortController();
const quiet = () => {};
const newestRow = {
  table: "public.kept",
  find: "select value::text as id, now()::text as at from kept order by value desc limit 1",
  findById: "select from kept where value = $1::int",
};

let outside: string;
let folder: string;
let to: string;
let target: string;
let home: TouchstoneHome;
let postgres: EmbeddedPostgres;

beforeEach(async () => {
  outside = await mkdtemp(path.join(tmpdir(), "touchstone-backup-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }), 30_000);
  await chmod(outside, 0o755);
  [folder, to, target] = ["home", "backups", "restored"].map((name) => path.join(outside, name)) as [
    string,
    string,
    string,
  ];
  home = await openHome({ folder, onProgress: quiet });
  onTestFinished(() => home.close());
  postgres = await startPostgres({ home, onEvent: quiet });
  await query("create table kept (value int primary key)");
  await insert(1);
});

async function query(text: string, { url } = postgres): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", quiet);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const insert = (value: number) => query(`insert into kept values (${value})`);
const backUp = (into = to, control: Partial<Parameters<typeof backUpHome>[0]> = {}) =>
  backUpHome({ folder, to: into, keep: null, newestRow, onProgress: quiet, signal, ...control });
const restore = (until: Date | null = null, control: Partial<Parameters<typeof restoreHome>[0]> = {}) =>
  restoreHome({
    folder: target,
    from: to,
    until,
    newestRow,
    keptTables: ["public.kept"],
    onProgress: quiet,
    signal,
    ...control,
  });

/** A moment after everything that was committed, and before what will be. */
async function moment(): Promise<Date> {
  const [row = {}] = await query("select clock_timestamp() as now, pg_sleep(0.02)");
  return new Date((row.now as Date).getTime() + 5);
}

async function restoredValues(until: Date | null = null): Promise<unknown[]> {
  expect((await restore(until)).losses).toEqual([]);
  const opened = await openHome({ folder: target, onProgress: quiet });
  try {
    const restored = await startPostgres({ home: opened, onEvent: quiet });
    return (await query("select value from kept order by 1", restored)).map(({ value }) => value);
  } finally {
    await opened.close();
    await rm(target, { recursive: true });
  }
}

const segments = async () =>
  (await readdir(path.join(to, "wal"))).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name)).sort();

/** Runs a command and kills it when its output contains the words. */
async function killAt(words: string, command: "back-up" | "restore", serviceHome: string, ...args: string[]) {
  const child = spawn("node", [path.join(commands, `${command}.ts`), ...args], {
    env: { ...process.env, SERVICE_HOME: serviceHome },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.on("data", (text: Buffer) => text.includes(words) && child.kill("SIGKILL"));
  const [, killedBy] = await once(child, "exit");
  expect(killedBy).toBe("SIGKILL");
}

test("any moment after a backup is restored, from the last backup before it", async () => {
  const first = await backUp();
  await insert(2);
  const between = await moment();
  await insert(3);
  const second = await backUp();
  await insert(4);
  const late = await moment();
  await insert(5);
  await endBackups(folder, signal);
  await insert(6);

  expect(await restoredValues(between)).toEqual([1, 2]);
  expect(await restoredValues(late)).toEqual([1, 2, 3, 4]);
  expect(await restoredValues()).toEqual([1, 2, 3, 4, 5]);
  expect(first.base.firstSegment < second.base.firstSegment).toBe(true);
  const after = new Date();
  await expect(restore(after)).rejects.toMatchObject({
    message: `Nothing that was committed after ${after.toISOString()} is archived.`,
  });
  expect(await readdir(target)).toEqual([]);
});

test("as many backups are kept as asked, with the log they need; a restored home says what it lacks", async () => {
  await backUp();
  await insert(2);
  const second = await backUp(to, { keep: 1 });
  expect(await readdir(path.join(to, "base"))).toEqual([path.basename(second.folder)]);
  expect((await segments())[0]).toBe(`${second.base.firstSegment}.gz`);
  await query("delete from kept");
  await endBackups(folder, signal);
  expect((await restore()).losses).toEqual([
    "The table public.kept is empty.",
    `The newest trace of the backup is missing: 2, of ${second.base.contents.newest?.at}.`,
  ]);
});

test("a restored home is backed up and restored itself", async () => {
  await backUp();
  await endBackups(folder, signal);
  await home.close();
  await restore();
  [folder, to, target] = [target, path.join(outside, "later backups"), path.join(outside, "restored again")];
  home = await openHome({ folder, onProgress: quiet });
  postgres = await startPostgres({ home, onEvent: quiet });
  await insert(2);
  await backUp();
  await insert(3);
  await endBackups(folder, signal);
  expect(await restoredValues()).toEqual([1, 2, 3]);
});

test("a damaged or missing segment is found, and a moment before it is restored", async () => {
  await backUp();
  await insert(2);
  const before = await moment();
  // PostgreSQL knows that a moment has passed when it reads a later commit.
  await insert(3);
  await query("select pg_switch_wal()", { ...postgres, url: await superuser() });
  await insert(4);
  await endBackups(folder, signal);
  const last = path.join(to, "wal", (await segments()).at(-1) ?? "");
  const content = await readFile(last);

  await writeFile(last, content.subarray(0, content.length >> 1));
  await expect(restore()).rejects.toMatchObject({ message: "A segment of the archived log is damaged." });
  expect(await readdir(target)).toEqual([]);
  expect(await restoredValues(before)).toEqual([1, 2]);

  // A whole file with another content ends the recovery like the end of the log.
  await writeFile(last, gzipSync(Buffer.alloc(16 * 1024 * 1024)));
  expect((await restore()).losses).toEqual([
    expect.stringMatching(/^The log was replayed to segment [0-9A-F]+ only, /),
  ]);
  await rm(target, { recursive: true });

  // A segment is missing, and a later one is there.
  await writeFile(last, content);
  const middle = path.join(to, "wal", (await segments()).at(-2) ?? "");
  await rename(middle, `${middle}.away`);
  await expect(restore()).rejects.toMatchObject({
    message: `The archived log has a gap: ${middle} is missing.`,
  });
  await rename(`${middle}.away`, middle);
  expect(await restoredValues()).toEqual([1, 2, 3, 4]);
});

async function superuser(): Promise<string> {
  const password = (await readFile(path.join(folder, "secrets", "postgres-superuser"), "utf8")).trim();
  return `postgres://postgres:${password}@127.0.0.1:${postgres.port}/touchstone`;
}

test("a disk that gets full in the middle of a backup or a restore costs nothing but that attempt", async () => {
  const volume = await mountVolume(400);
  onTestFinished(() => volume.unmount());
  const fillAt = (words: string) => ({
    onProgress(message: string) {
      if (!message.startsWith(words)) return;
      try {
        execFileSync("dd", ["if=/dev/zero", `of=${path.join(volume.folder, "ballast")}`, "bs=1M"], { stdio: "ignore" });
      } catch {
        // It is full now.
      }
    },
  });
  to = path.join(volume.folder, "backups");
  await expect(backUp(to, fillAt("Copying"))).rejects.toMatchObject({ code: "disk_full" });
  expect(await readdir(to)).toEqual([]);
  expect(await endBackups(folder, signal)).toBeNull();
  await expect(backUp()).rejects.toMatchObject({
    code: "disk_full",
    message: expect.stringMatching(/^The disk that holds .*backups has \d+ MB free, and \d+ MB are needed\.$/),
  });
  await volume.free();
  const first = await backUp();
  await insert(2);
  await expect(backUp(to, fillAt("Copying"))).rejects.toMatchObject({ code: "disk_full" });
  expect(await readdir(path.join(to, "base"))).toEqual([path.basename(first.folder)]);
  await insert(3);
  await volume.free();
  await endBackups(folder, signal);
  const onVolume = path.join(volume.folder, "restored");
  await expect(restore(null, { folder: onVolume, ...fillAt("Copying") })).rejects.toMatchObject({ code: "disk_full" });
  expect(await readdir(onVolume)).toEqual([]);
  await volume.free();
  expect(await restoredValues()).toEqual([1, 2, 3]);
});

test("a backup that is killed, or whose PostgreSQL is, is made again; a restore that is killed begins again", async () => {
  await killAt("Copying", "back-up", folder, "--to", to);
  await insert(2);
  // The archive has begun, and the next backup uses it.
  const first = await backUp();
  await killAt("Waiting", "back-up", folder, "--to", to);
  await insert(3);
  const { pid } = postgres;
  await expect(
    backUp(to, { onProgress: (message) => message.startsWith("Copying") && process.kill(pid, "SIGQUIT") }),
  ).rejects.toMatchObject({ message: "PostgreSQL ended during the backup." });
  await waitUntil("PostgreSQL is back", async () => (await query("select 1")).length === 1);
  await insert(4);
  const last = await backUp();
  expect(await readdir(path.join(to, "base"))).toEqual([path.basename(first.folder), path.basename(last.folder)]);
  await insert(5);
  await endBackups(folder, signal);

  await killAt("replays", "restore", target, "--from", to);
  await waitUntil("its guardian has ended", async () => {
    const opened = await openHome({ folder: target, onProgress: quiet });
    await opened.close();
    return true;
  });
  const opened = await openHome({ folder: target, onProgress: quiet });
  await expect(startPostgres({ home: opened, onEvent: quiet })).rejects.toMatchObject({
    message: `The restore into ${target} was interrupted.`,
  });
  await opened.close();
  expect(await restoredValues()).toEqual([1, 2, 3, 4, 5]);
});

test("an archive whose disk is gone is ended, and the next backup begins another", async () => {
  await backUp();
  await rename(to, `${to} away`);
  await expect(backUp()).rejects.toMatchObject({
    message: `${path.join(to, "wal")} is gone, where the log is archived.`,
  });
  expect(await endBackups(folder, signal)).toBe(to);
  await insert(2);
  await backUp();
  await insert(3);
  await endBackups(folder, signal);
  expect(await restoredValues()).toEqual([1, 2, 3]);
});
