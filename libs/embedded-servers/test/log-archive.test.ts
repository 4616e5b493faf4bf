import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { backupFormat } from "../src/backup/backup-set.ts";
import {
  archiveSettings,
  findGap,
  readArchive,
  readReachedSegment,
  restoreCommand,
} from "../src/backup/log-archive.ts";
import { removeOldBases } from "../src/backup/take-base.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let servers: string;
let archive: string;
const segment = "000000010000000000000007";

beforeEach(async () => {
  servers = await temporaryFolder();
  archive = path.join(servers, "it's 100%");
  await mkdir(path.join(servers, "postgres/pg_wal/archive_status"), { recursive: true });
  await mkdir(path.join(servers, "backup"));
  await mkdir(archive);
  await writeFile(path.join(servers, "postgres/pg_wal", segment), "a segment");
});

/** Runs a command as PostgreSQL does; returns its exit code. */
async function run(command: string, file: string): Promise<number> {
  const shell = command.replace(/%(.)/g, (_, name) => ({ p: `pg_wal/${file}`, f: file })[name as string] ?? name);
  return promisify(execFile)("/bin/sh", ["-c", shell], { cwd: path.join(servers, "postgres") }).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
}

const archiveOne = (): Promise<number> => run(archiveSettings.archive_command ?? "", segment);
const link = (): Promise<void> => symlink(archive, path.join(servers, "backup/archive"));

test("without an archive the log is discarded", async () => {
  expect(await archiveOne()).toBe(0);
  expect(await readdir(archive)).toEqual([]);
});

test("a segment is archived once, an equal one again without harm, and another one of its name never", async () => {
  await link();
  expect([await archiveOne(), await archiveOne()]).toEqual([0, 0]);
  expect(await readdir(archive)).toEqual([`${segment}.gz`]);
  await writeFile(path.join(servers, "postgres/pg_wal", segment), "other");
  expect(await archiveOne()).toBe(1);

  expect(await run(restoreCommand(archive), segment)).toBe(0);
  expect(await readFile(path.join(servers, "postgres/pg_wal", segment), "utf8")).toBe("a segment");
});

test("a missing segment is the end of the log, a damaged one is an error", async () => {
  expect(await run(restoreCommand(archive), segment)).toBe(1);
  await writeFile(path.join(archive, `${segment}.gz`), "no gzip");
  expect(await run(restoreCommand(archive), segment)).toBe(126);
});

test("an archive that cannot be written is tried again, and given up when 4 GB of log wait", async () => {
  archive = path.join(servers, "gone");
  await link();
  expect(await archiveOne()).toBe(1);
  expect(await readArchive(servers)).toBe(archive);
  for (let waiting = 0; waiting < 256; waiting += 1) {
    await writeFile(path.join(servers, "postgres/pg_wal/archive_status", `${waiting}.ready`), "");
  }
  expect(await archiveOne()).toBe(0);
  expect(await readArchive(servers)).toBeNull();
});

test("an archive that cannot be written is given up before the disk of the data is full", async ({ skip }) => {
  const disk = await mountSmallDisk("40m");
  if (disk === null) return skip();
  servers = disk.folder;
  await mkdir(path.join(servers, "postgres/pg_wal/archive_status"), { recursive: true });
  await mkdir(path.join(servers, "backup"));
  await writeFile(path.join(servers, "postgres/pg_wal", segment), "a segment");
  archive = path.join(servers, "gone");
  await link();
  expect(await archiveOne()).toBe(0);
  expect(await readArchive(servers)).toBeNull();
});

test("the history of a timeline shows where the log was read to", () => {
  expect(readReachedSegment("1\t0/7000028\tno recovery target specified\n")).toBe(segment);
  // At the end of a segment.
  expect(readReachedSegment("1\t0/8000000\tno recovery target specified\n")).toBe(segment);
  expect(readReachedSegment("1\t0/7000028\tbefore\n\n2\t1/8000028\tbefore\n")).toBe("000000020000000100000008");
});

test("the newest backups are kept by their place in the log, also if the clock was wrong", async () => {
  const set = { bases: path.join(servers, "base"), archive };
  for (const [name, firstSegment] of [
    ["2027-06-01T00-00-00.000Z", "000000010000000000000002"],
    ["2026-11-25T00-00-00.000Z", "000000010000000000000004"],
    ["2026-11-26T00-00-00.000Z", "000000010000000000000006"],
  ] as const) {
    await mkdir(path.join(set.bases, name), { recursive: true });
    await writeFile(path.join(set.bases, name, "backup.json"), JSON.stringify({ format: backupFormat, firstSegment }));
    for (const file of [firstSegment, firstSegment.replace(/.$/, (digit) => `${Number(digit) + 1}`)]) {
      await writeFile(path.join(archive, `${file}.gz`), "");
    }
  }
  await removeOldBases(set, { keep: 2, onProgress: () => {} });
  expect(await readdir(set.bases)).toEqual(["2026-11-25T00-00-00.000Z", "2026-11-26T00-00-00.000Z"]);
  expect((await readdir(archive)).map((file) => file.slice(22, 24))).toEqual(["04", "05", "06", "07"]);
});

test("a gap in the log is found, also where the number of the file wraps", () => {
  const last = "0000000100000000000000FF";
  expect(findGap([segment, last, "000000010000000100000000"], last)).toBeNull();
  expect(findGap([last, "000000010000000100000001"], last)).toBe("000000010000000100000000");
  expect(findGap([segment], last)).toBe(last);
});
