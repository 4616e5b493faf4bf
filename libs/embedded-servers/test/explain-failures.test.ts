import { describe, expect, test } from "vitest";
import { explainFileFailure, explainingFileFailures } from "../src/explain-file-failure.ts";
import { explainNatsFailure } from "../src/explain-nats-failure.ts";
import { explainPostgresFailure } from "../src/explain-postgres-failure.ts";
import { explainSpawnFailure } from "../src/explain-spawn-failure.ts";

const ended = { code: 1, signal: null };

describe("PostgreSQL's output becomes one sentence", () => {
  test.each([
    ['FATAL:  could not write lock file "postmaster.pid": No space left on device', "disk_full"],
    ['initdb: error: could not create directory "/x/pg_wal": No space left on device', "disk_full"],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', "port_in_use"],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Permission denied', "no_permission"],
    ['FATAL:  lock file "postmaster.pid" already exists', "already_running"],
    ["FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use", "already_running"],
    ['FATAL:  data directory "/x" has wrong ownership', "no_permission"],
    ['FATAL:  data directory "/x" has invalid permissions', "no_permission"],
    ["initdb: error: could not look up effective user ID 1234: user does not exist", "account_unavailable"],
    ["PANIC:  could not locate a valid checkpoint record at 0/0", "data_damaged"],
    ["FATAL:  could not map anonymous shared memory: Cannot allocate memory", "server_failed"],
    ["something new", "server_failed"],
  ])("%s", (output, code) => {
    const error = explainPostgresFailure(output, ended, { port: 5432 });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^[A-Z][^\n]*\.$/);
    expect(error.hint).toMatch(/^[A-Zl][^\n]*\.$/);
    expect(error.cause).toMatchObject({ message: output });
  });

  test("the versions are named when the data belong to another version", () => {
    const output = `FATAL:  database files are incompatible with server
DETAIL:  The data directory was initialized by PostgreSQL version 17, which is not compatible with this version 18.4.`;
    expect(explainPostgresFailure(output, ended).message).toBe(
      "The data were written by PostgreSQL 17, and this is PostgreSQL 18.",
    );
  });

  test("the exit status is reported when nothing else is known", () => {
    expect(explainPostgresFailure("", { code: null, signal: "SIGKILL" }).message).toBe(
      "PostgreSQL ended at once (signal SIGKILL).",
    );
    expect(explainPostgresFailure("", null).message).toBe("PostgreSQL was not ready in time.");
  });

  test("a server that was ready is reported as ended, and a killed one's earlier output is not the reason", () => {
    const output = "PANIC:  could not write to file: No space left on device";
    expect(explainPostgresFailure(output, ended, { wasReady: true }).message).toBe(
      "PostgreSQL ended because the disk is full.",
    );
    expect(explainPostgresFailure(output, { code: null, signal: "SIGKILL" }, { wasReady: true }).message).toBe(
      "PostgreSQL was killed (signal SIGKILL).",
    );
    expect(explainNatsFailure("", { code: 2, signal: null }, { port: 4222, wasReady: true }).message).toBe(
      "nats-server ended (code 2).",
    );
  });
});

test.each([
  [
    "[FTL] Error listening on port: 127.0.0.1:4222, listen tcp 127.0.0.1:4222: bind: address already in use",
    "port_in_use",
  ],
  ["[FTL] Can't start JetStream: could not create storage directory - mkdir /x: permission denied", "no_permission"],
  ["[ERR] write /x/1.blk: no space left on device", "disk_full"],
  ["nats-server: nats.conf:1:1: unknown field", "server_failed"],
])("nats-server's output becomes one sentence: %s", (output, code) => {
  const error = explainNatsFailure(output, ended, { port: 4222 });
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^nats-server [^\n]*\.$/);
});

describe("an error of the file system becomes one sentence", () => {
  const failure = (code: string) => Object.assign(new Error(code), { code, path: "/home/x/bin" });

  test.each([
    ["ENOSPC", "disk_full", "The disk that holds /home/x is full."],
    ["EACCES", "no_permission", "Touchstone may not write /home/x/bin."],
    ["EROFS", "no_permission", "Touchstone cannot write /home/x/bin, because its disk is mounted read-only."],
    ["ENOTDIR", "home_not_usable", "/home/x/bin cannot be used as a folder."],
  ])("%s", (errno, code, message) => {
    expect(explainFileFailure(failure(errno), "/home/x")).toMatchObject({ code, message });
  });

  test("while a bug stays a bug", async () => {
    const bug = new TypeError("undefined is not a function");
    await expect(explainingFileFailures("/x", () => Promise.reject(bug))).rejects.toBe(bug);
  });
});

test("a program that cannot be started is reported with the reason", () => {
  const account = { uid: 61_047, gid: 61_047, initdbUid: 65_534 };
  const failure = (code: string) => Object.assign(new Error(`spawn ${code}`), { code });
  expect(explainSpawnFailure(failure("EPERM"), { executable: "/x/postgres", account })).toMatchObject({
    code: "account_unavailable",
    message: "postgres cannot be switched from root to user id 61047 here.",
  });
  expect(explainSpawnFailure(failure("EACCES"), { executable: "/x/postgres", account }).code).toBe("no_permission");
  expect(explainSpawnFailure(failure("ENOENT"), { executable: "/x/postgres", account: null }).code).toBe(
    "server_failed",
  );
});
