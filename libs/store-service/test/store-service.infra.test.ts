import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let nats: TestNats;
let database: TestDatabase;

beforeAll(async () => {
  [nats, database] = await Promise.all([startTestNats(), createTestDatabase()]);
});

afterAll(async () => {
  await nats?.stop();
  await database?.drop();
});

/** Runs a service to its end; `databaseUrl` says where it looks for its schema. */
async function run(ending: string, databaseUrl = database.url) {
  const child = spawn(process.execPath, [new URL("child-service.ts", import.meta.url).pathname, ending], {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      SERVICE_DB_URL: databaseUrl,
      SERVICE_NATS_URL: nats.url,
      SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
    },
  });
  const [lines, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const printed: { did?: string; level?: string }[] = lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return {
    exitCode,
    did: printed.flatMap(({ did }) => did ?? []),
    fatal: JSON.stringify(printed.filter(({ level }) => level === "fatal")),
  };
}

test("what was opened last is stopped first, and the bus and the database after what uses them", async () => {
  const { exitCode, did } = await run("stop when ready");

  expect(exitCode).toBe(0);
  expect(did).toEqual([
    "begin relay",
    "begin sweep",
    "ready: 200",
    "stop before the server",
    "stop scorer",
    "stop sweep, database ok",
    "stop relay, database ok",
  ]);
});

test("work that fails to begin ends the process, with a line that says what failed", async () => {
  const { exitCode, fatal } = await run("fail to begin");

  expect(exitCode).toBe(1);
  expect(fatal).toMatch(/monitor failed to begin its background work.*the sweep cannot begin/);
});

test("a consumer that cannot be set up ends the process", async () => {
  const { exitCode, fatal } = await run("fail to consume");

  expect(exitCode).toBe(1);
  expect(fatal).toMatch(/monitor failed to begin its background work.*no durable consumer/);
});

test("a service without its database starts, is not ready, and stops without beginning anything", async () => {
  const { exitCode, did } = await run("stop when started", "postgres://127.0.0.1:1/away");

  expect(exitCode).toBe(0);
  expect(did).toEqual(["not ready: 503", "stop before the server", "stop scorer"]);
});
