import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { Redis } from "ioredis";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { createTestDatabase, requireRedis, startTestNats } from "../src/index.ts";

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** The contents of nats-server's greeting to every connection. */
async function greeting(port: number): Promise<unknown> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    const [line] = await once(socket, "data");
    return JSON.parse(String(line).replace(/^INFO /, ""));
  } finally {
    socket.destroy();
  }
}

describe("a test database", () => {
  test("belongs to a login that is no superuser and may create, use and drop roles", async () => {
    const database = await createTestDatabase();
    const role = `role_${randomUUID().replaceAll("-", "")}`;
    const [login] = await query(
      database.url,
      "select current_user::text as name, rolsuper, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user",
    );
    expect(login).toEqual({ name: "touchstone", rolsuper: false, rolcreaterole: true, rolbypassrls: false });
    await query(
      database.url,
      `create role ${role}; set role ${role}; reset role; create schema mine authorization ${role}`,
    );
    const asRole = `${database.url}?options=-c%20role%3D${role}`;
    expect(await query(asRole, "select current_user::text as name")).toEqual([{ name: role }]);
    await query(database.url, `drop schema mine cascade; drop role ${role}`);
    await database.drop();
  });

  test("sorts by code point, and folds non-ASCII letters", async () => {
    const database = await createTestDatabase();
    const [row] = await query(database.url, "select lower('ÄÖÉ') as folded, 'Z' < 'a' as by_code_point");
    expect(row).toEqual({ folded: "äöé", by_code_point: true });
    await database.drop();
  });

  test("can be dropped while a client is connected, and twice", async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    const ended = new Promise((resolve) => client.on("error", resolve));
    await client.connect();
    await database.drop();
    await ended;
    await database.drop();
    await expect(query(database.url, "select 1")).rejects.toThrow(/does not exist/);
  });
});

describe("a test nats-server", () => {
  test("accepts messages of 8 MB and announces the limit", async () => {
    const nats = await startTestNats();
    const info = await greeting(nats.port);
    expect(info).toMatchObject({ max_payload: 8 * 1024 * 1024, jetstream: true });
    await nats.stop();
  });

  test("comes back on the same port after kill -9", async () => {
    const nats = await startTestNats();
    const { pid } = nats;
    await nats.kill("SIGKILL");
    await expect(greeting(nats.port)).rejects.toThrow();
    await nats.restart();
    expect(nats.pid).not.toBe(pid);
    expect(await greeting(nats.port)).toMatchObject({ jetstream: true });
    await nats.stop();
    await nats.stop();
  });

  test("asks for a password when it has users", async () => {
    const nats = await startTestNats({ users: [{ user: "a", password: "b", publish: [">"], subscribe: [">"] }] });
    expect(await greeting(nats.port)).toMatchObject({ auth_required: true });
    await nats.stop();
  });
});

test("Redis answers if available", async (context) => {
  const redis = new Redis(requireRedis(context));
  expect(await redis.ping()).toBe("PONG");
  redis.disconnect();
});
