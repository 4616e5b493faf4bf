import { appendFile, chmod, open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openHome, startNats, startPostgres, type TouchstoneHome } from "../src/index.ts";
import { talkToNats } from "./raw-nats.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function openTestHome(folder: string): Promise<TouchstoneHome> {
  const home = await openHome({ folder, onProgress: () => {} });
  onTestFinished(() => home.close());
  return home;
}

const onEvent = () => {};
const asker = { user: "asker", password: "a$\"'{}", publish: ["svc.judge.>"], subscribe: ["_INBOX.asker.>"] };
const mute = { user: "mute", password: "c", publish: [], subscribe: [] };
const judge = { user: "judge", password: "b", publish: [], subscribe: ["svc.judge.>"], allowResponses: true };

describe("a home's nats-server", () => {
  test("lets each user do what its permissions say and nothing else", async () => {
    const folder = await temporaryFolder();
    const { port } = await startNats({ home: await openTestHome(folder), users: [asker, judge, mute], onEvent });
    expect(await talkToNats(port, { ...asker, commands: ["PUB svc.judge.score 2", "hi"] })).toBe("PONG\r\n");
    expect(await talkToNats(port, { ...asker, commands: ["PUB event.else 2", "hi"] })).toContain(
      "Permissions Violation for Publish",
    );
    expect(await talkToNats(port, { ...asker, commands: ["SUB > 1"] })).toContain(
      "Permissions Violation for Subscription",
    );
    expect(await talkToNats(port, { ...judge, commands: ["PUB svc.judge.score 2", "hi"] })).toContain(
      "Permissions Violation",
    );
    expect(await talkToNats(port, { ...judge, password: "wrong", commands: [] })).toContain("Authorization Violation");
    expect(await talkToNats(port, { ...mute, commands: ["PUB any 2", "hi"] })).toContain(
      "Permissions Violation for Publish",
    );
    expect(await talkToNats(port, { ...mute, commands: ["SUB any 1"] })).toContain(
      "Permissions Violation for Subscription",
    );
    const config = path.join(folder, "nats.conf");
    expect((await stat(config)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(config, "utf8"))).toMatchObject({
      max_payload: 8 * 1024 * 1024,
      jetstream: { sync_interval: "always" },
    });
  });

  test("is not run when its bytes have changed", async () => {
    const folder = await temporaryFolder();
    const first = await openTestHome(folder);
    await startNats({ home: first, users: [asker], onEvent });
    await first.close();
    const executable = path.join(folder, "bin", "nats-server-2.14.0", "nats-server");
    const file = await open(executable, "r+");
    await file.write(Buffer.from([0xff]), 0, 1, 9_000_000);
    await file.close();
    await expect(startNats({ home: await openTestHome(folder), users: [asker], onEvent })).rejects.toMatchObject({
      code: "binary_changed",
      message: expect.stringMatching(
        /is not the nats-server 2\.14\.0 that Touchstone knows \(its SHA-256 is [0-9a-f]{64}\)/,
      ),
    });
  });

  test("is copied again when the copy is incomplete", async () => {
    const folder = await temporaryFolder();
    const first = await openTestHome(folder);
    await startNats({ home: first, users: [asker], onEvent });
    await first.close();
    await appendFile(path.join(folder, "bin", "nats-server-2.14.0", "nats-server"), "x");
    const { port } = await startNats({ home: await openTestHome(folder), users: [asker], onEvent });
    expect(await talkToNats(port, { ...asker, commands: [] })).toBe("PONG\r\n");
  });
});

test.each([
  ["an executable", "postgres-18.4.0-beta.17/bin/postgres"],
  ["a library", "postgres-18.4.0-beta.17/lib/libpq.so.5.18"],
  ["the folder around them", "."],
])("PostgreSQL is not run while others can change %s", async (_, name) => {
  const folder = await temporaryFolder();
  const first = await openTestHome(folder);
  await startPostgres({ home: first, onEvent });
  await first.close();
  await chmod(path.join(folder, "bin", name), 0o777);
  await expect(startPostgres({ home: await openTestHome(folder), onEvent })).rejects.toMatchObject({
    code: "binary_not_trusted",
    message: expect.stringContaining("can be changed by other users (mode 777), so it is not run."),
  });
});
