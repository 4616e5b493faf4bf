import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Bus, connectBus, natsPermissions, runDeadLetterCommand } from "@touchstone/bus";
import { liveScorersChanged, modelPricesChanged, serviceNames } from "@touchstone/contracts";
import { renderNatsConfig, startThrowAwayNats, type ThrowAwayNats } from "@touchstone/embedded-servers";
import { createLogger } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findLogins } from "./find-logins.ts";

const projectId = "019a2f6e-1c2d-7e3f-8a4b-5c6d7e8f9012";
const users = serviceNames.map((service) => ({
  user: service,
  password: `password of ${service}`,
  ...natsPermissions(service),
}));

let home: string;
let nats: ThrowAwayNats;
const buses: Bus[] = [];

/** Each service with its own permissions, in the home of a standalone. */
beforeAll(async () => {
  nats = await startThrowAwayNats({ users });
  home = await mkdtemp(path.join(tmpdir(), "dead-letters-"));
  const { port, storeFolder } = nats;
  const config = renderNatsConfig({ port, serverName: "touchstone", storeFolder, users, isDurable: true });
  await writeFile(path.join(home, "nats.conf"), config);
});

afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.drain()));
  await nats?.stop();
  await rm(home, { recursive: true, force: true });
});

async function connect(service: (typeof serviceNames)[number]): Promise<Bus> {
  const logger = createLogger({ service, level: "silent" });
  const bus = connectBus({ url: nats.url, user: service, password: `password of ${service}`, service, logger });
  buses.push(bus);
  await vi.waitFor(() => expect(bus.status()).toBe("connected"));
  return bus;
}

async function run(command: string, environment: Record<string, string> = { SERVICE_HOME: home }) {
  const lines: string[] = [];
  const logins = await findLogins(environment);
  const code = await runDeadLetterCommand(command.split(" "), { logins, print: (line) => lines.push(line) });
  return { code, text: lines.join("\n") };
}

test("an operator lists dead letters of all services, looks at one, replays one and drops another", async () => {
  const [auth, evalRuns, ingest, monitor] = await Promise.all([
    connect("auth"),
    connect("eval-runs"),
    connect("ingest"),
    connect("monitor"),
  ]);
  let isMended = false;
  const taken: number[] = [];
  const once = { maxDeliver: 1 };
  await monitor.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed", ...once }, async (told) => {
    if (!isMended) throw new Error(`no place for revision ${told.revision}`);
    taken.push(told.revision);
  });
  await ingest.consume(modelPricesChanged, { durable: "ingest-model-prices-changed", ...once }, async () => {
    throw new Error("no prices");
  });
  expect(await run("list")).toEqual({ code: 0, text: "There are no dead letters." });

  const tell = async (revision: number): Promise<void> => {
    const told = { projectId, revision, judges: [], groups: [] };
    await evalRuns.publish(liveScorersChanged, told, { messageId: `change-${revision}` });
    await vi.waitFor(async () => expect((await run("list")).text).toContain(`change-${revision}`));
  };
  await tell(7);
  await tell(8);
  await auth.publish(modelPricesChanged, { ownerId: projectId, revision: 1, changes: [] }, { messageId: "prices" });
  await vi.waitFor(async () => expect((await run("list")).text).toContain("no prices"));

  const { text } = await run("list");
  expect(text.split("\n")).toEqual([
    expect.stringMatching(
      /^1 {2}\S+ {2}monitor-live-scorers-changed {2}event\.live-scorers\.changed\.v1 {2}1 try {2}change-7$/,
    ),
    "    Error: no place for revision 7",
    expect.stringMatching(/^2 {2}.*change-8$/),
    "    Error: no place for revision 8",
    expect.stringMatching(/^3 {2}\S+ {2}ingest-model-prices-changed {2}.*prices$/),
    "    Error: no prices",
  ]);
  expect((await run("list --consumer ingest-model-prices-changed")).text).not.toContain("change-");
  expect((await run("show 2")).text).toContain('"revision": 8');

  isMended = true;
  expect(await run("replay 2")).toMatchObject({ code: 0, text: expect.stringContaining("Replayed: 1.") });
  await vi.waitFor(() => expect(taken).toEqual([8]));
  expect(await run("drop 1")).toMatchObject({ code: 0, text: expect.stringContaining("Removed: 1.") });
  expect(await run("drop 1")).toEqual({ code: 1, text: "There is no dead letter 1." });
  expect((await run("list")).text).toMatch(/^3 {2}.*\n.*no prices$/);
  expect(taken).toEqual([8]);
});

test("a service's own log-in sees its own dead letters, as in its container", async () => {
  const own = {
    SERVICE_NATS_URL: nats.url,
    SERVICE_NATS_USER: "monitor",
    SERVICE_NATS_PASSWORD: "password of monitor",
  };
  expect(await run("list", own)).toEqual({ code: 0, text: "There are no dead letters." });
});

test("nothing is replayed or dropped by accident", async () => {
  for (const command of ["", "replay", "drop", "drop 3 --all", "show", "list 3", "bury 3", "drop --most"]) {
    expect(await run(command)).toMatchObject({ code: 2, text: expect.stringContaining("list [--consumer") });
  }
  expect((await run("list")).text).toContain("no prices");
  expect(await run("drop --all")).toMatchObject({ code: 0, text: expect.stringContaining("Removed: 1.") });
});

test("without NATS the command explains what to do", async () => {
  await expect(findLogins({ SERVICE_HOME: tmpdir() })).rejects.toThrow("Start Touchstone");
  const lines: string[] = [];
  const nowhere = [{ service: "monitor", url: "nats://secret:word@127.0.0.1:1" } as const];
  const options = { logins: nowhere, print: (line: string) => lines.push(line), connectWithinMs: 50 };
  expect(await runDeadLetterCommand(["list"], options)).toBe(1);
  expect(lines).toEqual(["NATS cannot be reached at 127.0.0.1:1."]);
});
