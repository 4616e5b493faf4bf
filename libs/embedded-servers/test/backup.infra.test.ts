import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUpHome, endBackups, openHome, restoreHome, startPostgres, type TouchstoneHome } from "../src/index.ts";
import { query } from "./query.ts";

// One home, one backup and one restore for all tests, in this order: each start of PostgreSQL takes seconds. What needs more
// of them is in tests/chaos/proof/backup.test.ts.

const { signal } = new AbortController();
const onEvent = () => {};
const onProgress = () => {};
const newestRow = {
  table: "public.kept",
  find: "select value::text as id, now()::text as at from kept order by value desc limit 1",
  findById: "select from kept where value = $1::int",
};

const keptTables = ["public.kept"];

/** Everyone may enter it, as the account of the servers must. */
let outside: string;
let folder: string;
let home: TouchstoneHome;
let url: string;
let to: string;
let target: string;

beforeAll(async () => {
  outside = await mkdtemp(path.join(tmpdir(), "touchstone-test-"));
  await chmod(outside, 0o755);
  [folder, to, target] = ["home", "backups", "restored"].map((name) => path.join(outside, name)) as [
    string,
    string,
    string,
  ];
  home = await openHome({ folder, onProgress });
  ({ url } = await startPostgres({ home, onEvent }));
  await query(url, "create table kept (value int primary key); insert into kept values (1)");
  await writeFile(path.join(folder, "secrets", "root"), "the root secret\n", { mode: 0o600 });
});

afterAll(async () => {
  await home.close();
  await rm(outside, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const backUp = (into: string, control: Partial<Parameters<typeof backUpHome>[0]> = {}) =>
  backUpHome({ folder, to: into, keep: null, newestRow, onProgress, signal, ...control });
const restore = (from: string, into = target, until: Date | null = null) =>
  restoreHome({ folder: into, from, until, newestRow, keptTables, onProgress, signal });

/** An interruption when a progress message contains the words. */
function interruptAt(words: string) {
  const interruption = new AbortController();
  return {
    signal: interruption.signal,
    onProgress: (message: string) => {
      if (message.includes(words)) interruption.abort();
    },
  };
}

async function findBase(): Promise<string> {
  const [name = ""] = await readdir(path.join(to, "base"));
  return path.join(to, "base", name);
}

/** Changes a file for the time of a check. */
async function whileChanged(file: string, text: (before: string) => string, check: () => Promise<void>): Promise<void> {
  const before = await readFile(file);
  await writeFile(file, text(before.toString()));
  await check().finally(() => writeFile(file, before));
}

test("a backup into a folder with other files or inside the home, by a link too, is refused", async () => {
  const other = path.join(outside, "other");
  await mkdir(other);
  await writeFile(path.join(other, "thesis.txt"), "mine");
  await expect(backUp(other)).rejects.toMatchObject({ code: "backup_refused", message: `${other} is not empty.` });
  await expect(backUp(path.join(other, "thesis.txt"))).rejects.toMatchObject({
    message: `${path.join(other, "thesis.txt")} cannot be used as a folder (ENOTDIR).`,
  });
  const link = path.join(outside, "link");
  await symlink(folder, link);
  for (const inside of [folder, path.join(folder, "backups"), path.join(link, "backups")]) {
    await expect(backUp(inside)).rejects.toMatchObject({
      message: `${inside} is inside the folder that is backed up.`,
    });
  }
  expect(await readdir(other)).toEqual(["thesis.txt"]);
  expect(await readdir(folder)).not.toContain("backups");
});

test("a backup of a home where nothing runs is refused", async () => {
  const empty = path.join(outside, "empty");
  await mkdir(empty);
  await expect(backUp(to, { folder: empty })).rejects.toMatchObject({
    message: `${empty} holds no PostgreSQL of Touchstone.`,
  });
  await expect(backUp(to, { folder: path.join(outside, "nowhere") })).rejects.toMatchObject({
    message: `No Touchstone runs on ${path.join(outside, "nowhere")}.`,
  });
});

test("a first backup that is interrupted leaves no archive", async () => {
  await expect(backUp(to, interruptAt("Copying"))).rejects.toMatchObject({ name: "AbortError" });
  expect(await readdir(to)).toEqual([]);
  expect(await endBackups(folder, signal)).toBeNull();
  const [setting] = await query(url, "show archive_timeout");
  expect(setting).toEqual({ archive_timeout: "0" });
});

test("of two backups at once one is refused, and the other is complete and closed to others", async () => {
  const both = await Promise.allSettled([backUp(to), backUp(to)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const done = both.find((each) => each.status === "fulfilled");
  expect(both.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { message: "Another backup of this Touchstone is running." },
  });
  expect(done?.value).toMatchObject({
    hasRootSecret: true,
    base: { contents: { rows: { "public.kept": 1 }, newest: { id: "1" } } },
  });
  expect(done?.value.folder).toBe(await findBase());
  expect((await stat(to)).mode & 0o007).toBe(0);
  expect((await stat(path.join(await findBase(), "secrets", "root"))).mode & 0o777).toBe(0o600);
  const sums = await readFile(path.join(await findBase(), "SHA256SUMS"), "utf8");
  expect(sums).toMatch(/^[0-9a-f]{64} {2}postgres\/backup_label$/m);
});

test("a later backup goes where the log is archived, and nowhere else; one that is interrupted changes nothing", async () => {
  const other = path.join(outside, "elsewhere");
  await expect(backUp(other)).rejects.toMatchObject({ message: `The log of this Touchstone is archived in ${to}.` });
  const before = await readdir(path.join(to, "base"));
  await expect(backUp(to, { keep: 1, ...interruptAt("Waiting") })).rejects.toMatchObject({ name: "AbortError" });
  expect(await readdir(path.join(to, "base"))).toEqual(before);
  expect(await readdir(outside)).not.toContain("elsewhere");
});

test("a backup is refused when the archive is ahead of the log, as after a home was put back to an earlier state", async () => {
  const archive = path.join(to, "wal");
  const [last = ""] = (await readdir(archive))
    .filter((name) => /^[0-9A-F]{24}\.gz$/.test(name))
    .toSorted()
    .toReversed();
  const later = `${last.slice(0, 8)}000000FF000000FF`;
  await writeFile(path.join(archive, `${later}.gz`), "");
  await expect(backUp(to, { keep: 1 })).rejects.toMatchObject({
    code: "backup_refused",
    message: expect.stringContaining(`${archive} has the segment ${later} of the log`),
  });
  await rm(path.join(archive, `${later}.gz`));
});

test("a restore replaces nothing: neither a running home nor a folder with other files", async () => {
  await expect(restore(to, folder)).rejects.toMatchObject({
    code: "already_running",
    message: `Touchstone is already running on ${folder} (process ${process.pid}).`,
  });
  const other = path.join(outside, "other");
  await expect(restore(to, other)).rejects.toMatchObject({ message: `${other} is not empty.` });
  expect(await readdir(other)).toEqual(["thesis.txt"]);
  expect(await query(url, "select value from kept")).toEqual([{ value: 1 }]);
});

test("a restore is refused for a moment outside the log, and from a folder without backups", async () => {
  await expect(restore(outside)).rejects.toMatchObject({ message: `${outside} holds no backup.` });
  await expect(restore(to, target, new Date("2020-01-01T00:00:00Z"))).rejects.toMatchObject({
    message: `No backup in ${to} is as old as 2020-01-01T00:00:00.000Z.`,
  });
  await expect(restore(to, target, new Date("2100-01-01T00:00:00Z"))).rejects.toMatchObject({
    message: "2100-01-01T00:00:00.000Z is in the future.",
  });
});

test("a restore is refused from a backup of another version, with a damaged record, and of a log with a gap", async () => {
  const record = path.join(await findBase(), "backup.json");
  const refused = (expected: object) => async () => void (await expect(restore(to)).rejects.toMatchObject(expected));
  await whileChanged(
    record,
    (text) => text.replace('"postgres": 18', '"postgres": 17'),
    refused({
      code: "data_of_another_version",
      message: "The backup is of PostgreSQL 17, and this Touchstone has PostgreSQL 18.",
    }),
  );
  await whileChanged(
    record,
    (text) => text.replace('"format": 1', '"format": 2'),
    refused({ message: `${record} has the format 2, and this Touchstone reads the format 1.` }),
  );
  await whileChanged(record, (text) => text.slice(0, 99), refused({ message: `${record} is damaged.` }));
  const { firstSegment } = JSON.parse(await readFile(record, "utf8")) as { firstSegment: string };
  const segment = path.join(to, "wal", `${firstSegment}.gz`);
  await rename(segment, `${segment}.away`);
  await refused({ message: `The archived log has a gap: ${segment} is missing.` })();
  await rename(`${segment}.away`, segment);
  expect(await readdir(outside)).not.toContain("restored");
});

test("a restore that finds a changed file, or is interrupted, leaves the folder empty", async () => {
  const changed = path.join(await findBase(), "postgres", "backup_label");
  const before = await readFile(changed);
  await appendFile(changed, "\n");
  await expect(restore(to)).rejects.toMatchObject({
    code: "backup_damaged",
    message: `${changed} was changed after the backup.`,
  });
  await rm(changed);
  await expect(restore(to)).rejects.toMatchObject({ message: `${changed} is missing.` });
  await writeFile(changed, before, { mode: 0o600 });
  await expect(
    restoreHome({ folder: target, from: to, until: null, newestRow, keptTables, ...interruptAt("replays") }),
  ).rejects.toMatchObject({ name: "AbortError" });
  expect(await readdir(target)).toEqual([]);
});

test("everything until the end of the archive is restored, with the secrets", async () => {
  await query(url, "insert into kept values (2)");
  expect(await endBackups(folder, signal)).toBe(to);
  await query(url, "insert into kept values (3)");
  await home.close();

  // An interruption in the last step comes too late: the home is complete and stays.
  const late = interruptAt("Writing the data to disk");
  expect(await restoreHome({ folder: target, from: to, until: null, newestRow, keptTables, ...late })).toMatchObject({
    now: { rows: { "public.kept": 2 }, newest: { id: "2" } },
    losses: [],
  });
  expect(late.signal.aborted).toBe(true);
  const secret = path.join(target, "secrets", "root");
  expect(await readFile(secret, "utf8")).toBe("the root secret\n");
  expect((await stat(secret)).mode & 0o777).toBe(0o600);
  home = await openHome({ folder: target, onProgress });
  const restored = await startPostgres({ home, onEvent });
  expect(await query(restored.url, "select value from kept order by 1")).toEqual([{ value: 1 }, { value: 2 }]);
});
