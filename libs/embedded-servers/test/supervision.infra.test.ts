import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHome, type ServerEvent, startNats, startPostgres, type TouchstoneHome } from "../src/index.ts";
import { startBusyQuery } from "./busy-query.ts";
import { isRunning, until } from "./conditions.ts";
import { query } from "./query.ts";
import { talkToNats } from "./raw-nats.ts";
import { mountSmallDisk } from "./small-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function openTestHome(): Promise<TouchstoneHome> {
  const home = await openHome({ folder: await temporaryFolder(), onProgress: () => {} });
  onTestFinished(() => home.close());
  return home;
}

const tester = { user: "tester", password: "secret", publish: [">"], subscribe: [">"] };

describe("a server that dies", () => {
  test("comes back on its port with its data: PostgreSQL, even during a running query", async () => {
    const events: ServerEvent[] = [];
    const postgres = await startPostgres({ home: await openTestHome(), onEvent: (event) => events.push(event) });
    await query(postgres.url, "create table kept (value int); insert into kept values (7)");
    const busy = await startBusyQuery(postgres.url);
    const { pid } = postgres;
    process.kill(pid, "SIGKILL");
    await until(async () => events.some((event) => event.kind === "restarted"));
    await busy.ended;
    expect(events[0]).toMatchObject({ kind: "died", error: { message: "PostgreSQL was killed (signal SIGKILL)." } });
    expect(postgres.pid).not.toBe(pid);
    expect(await query(postgres.url, "select value from kept")).toEqual([{ value: 7 }]);
  });

  test("comes back on its port with its streams: nats-server", async () => {
    const events: ServerEvent[] = [];
    const nats = await startNats({
      home: await openTestHome(),
      users: [tester],
      onEvent: (event) => events.push(event),
    });
    const stream = JSON.stringify({ name: "KEPT", subjects: ["kept.>"], storage: "file" });
    const request = (subject: string, body: string) =>
      talkToNats(nats.port, {
        ...tester,
        last: /MSG answer 1 \d+\r\n.*}\r\n/,
        commands: ["SUB answer 1", `PUB ${subject} answer ${Buffer.byteLength(body)}`, body],
      });
    await request("$JS.API.STREAM.CREATE.KEPT", stream);
    await request("kept.one", "hello");
    process.kill(nats.pid, "SIGKILL");
    await until(async () => events.some((event) => event.kind === "restarted"));
    const info = await request("$JS.API.STREAM.INFO.KEPT", "");
    expect(info).toMatch(/"messages":1/);
  });

  test("is retried until it starts: another program uses its port for a while", async () => {
    const events: ServerEvent[] = [];
    const nats = await startNats({
      home: await openTestHome(),
      users: [tester],
      onEvent: (event) => events.push(event),
      limits: { firstDelayMs: 400, delayMaxMs: 20, stableAfterMs: 60_000 },
    });
    process.kill(nats.pid, "SIGKILL");
    await until(async () => events.length > 0);
    // Another nats-server that took the port must not be mistaken for ours.
    const squatter = createServer((socket) => socket.end('INFO {"server_name":"another"}\r\n')).listen(
      nats.port,
      "127.0.0.1",
    );
    await once(squatter, "listening");
    onTestFinished(() => void squatter.close());
    await until(async () => events.length > 5);
    squatter.close();
    await until(async () => events.some((event) => event.kind === "restarted"));
    expect(events[0]).toMatchObject({ kind: "died", error: { message: "nats-server was killed (signal SIGKILL)." } });
    for (const event of events.slice(1, 5)) {
      expect(event).toMatchObject({ kind: "restart_failed", error: { code: "port_in_use" } });
    }
  });

  test("waits for free space when the disk is full, and loses nothing", async (context) => {
    const disk = await mountSmallDisk("250m");
    if (disk === null) return context.skip("This system does not let us mount a small disk.");
    const home = await openHome({ folder: path.join(disk.folder, "home"), onProgress: () => {} });
    onTestFinished(() => home.close());
    const events: ServerEvent[] = [];
    const limits = { firstDelayMs: 20, delayMaxMs: 40, stableAfterMs: 60_000 };
    const postgres = await startPostgres({ home, onEvent: (event) => events.push(event), limits });
    await query(postgres.url, "create table kept (value int); insert into kept values (7)");
    // A new connection may itself fail on a full disk, before it writes anything that ends the server.
    const writer = new pg.Client({ connectionString: postgres.url }).on("error", () => {});
    await writer.connect();
    const filler = path.join(disk.folder, "filler");
    await writeFile(filler, Buffer.alloc(250 * 1024 * 1024)).catch(() => {});
    const writeLog = "select pg_logical_emit_message(true, 'x', repeat('y', 1000000))";
    const untilFull = async (): Promise<unknown> => writer.query(writeLog).then(untilFull);
    await expect(untilFull()).rejects.toThrow(/No space left on device/);
    await until(async () => events.filter((event) => event.kind === "restart_failed").length > 3);
    await rm(filler);
    await until(async () => events.some((event) => event.kind === "restarted"));
    expect(await query(postgres.url, "select value from kept")).toEqual([{ value: 7 }]);
    expect(events.find((event) => event.kind === "restart_failed")).toMatchObject({ error: { code: "disk_full" } });
  });

  test("does not come back when it was stopped meanwhile", async () => {
    const events: ServerEvent[] = [];
    const nats = await startNats({
      home: await openTestHome(),
      users: [tester],
      onEvent: (event) => events.push(event),
    });
    process.kill(nats.pid, "SIGKILL");
    await until(async () => events.length > 0);
    await Promise.all([nats.stop(), nats.stop()]);
    expect(await isRunning(nats.pid)).toBe(false);
    expect(events.map((event) => event.kind)).toEqual(["died"]);
  });
});
