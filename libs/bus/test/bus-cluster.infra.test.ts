import { setTimeout as sleep } from "node:timers/promises";
import { serviceNames } from "@touchstone/contracts";
import {
  findFreePort,
  startTestNats,
  startThrowAwayNatsCluster,
  type TestNats,
  type ThrowAwayNatsCluster,
  testCertificates,
} from "@touchstone/testkit";
import { afterEach, expect, test } from "vitest";
import { type Bus, type BusOptions, connectBus, natsPermissions, operatorPermissions } from "../src/index.ts";
import { setStreamReplicas } from "../src/stream-replicas/set-stream-replicas.ts";
import { eventually, type LogLine, untilConnected } from "./bus-world.ts";
import { thingTold, worldMessages } from "./test-messages.ts";

const users = [
  ...serviceNames.map((service) => ({
    user: service,
    password: `${service}-password`,
    ...natsPermissions(service, worldMessages),
  })),
  { user: "operator", password: "operator-password", ...operatorPermissions },
];

const { caFile, otherCaFile, server, expired, client } = testCertificates;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startCluster(): Promise<ThrowAwayNatsCluster> {
  const cluster = await startThrowAwayNatsCluster({ findPort: findFreePort, users, tls: { ...server, caFile } });
  closers.push(cluster.stop);
  return cluster;
}

async function startServer(options: Parameters<typeof startTestNats>[0]): Promise<TestNats> {
  const nats = await startTestNats(options);
  closers.push(() => nats.stop());
  return nats;
}

function open(service: "ingest" | "monitor", options: Pick<BusOptions, "url" | "tls">): { bus: Bus; logs: LogLine[] } {
  const logs: LogLine[] = [];
  const log = (level: LogLine["level"]) => (fields: unknown, text?: string) =>
    void logs.push({ level, fields: fields as LogLine["fields"], text: text ?? "" });
  const logger = { info: log("info"), warn: log("warn"), error: log("error") } as BusOptions["logger"];
  const bus = connectBus({ ...options, user: service, password: `${service}-password`, service, logger });
  closers.push(() => bus.drain());
  return { bus, logs };
}

/** Publishes numbers until stopped; each is repeated under its id until it is acknowledged. */
function keepPublishing(bus: Bus): { acknowledged: () => number; stop: () => Promise<void> } {
  let next = 0;
  let isStopped = false;
  const publishing = (async () => {
    while (!isStopped) {
      const isAcknowledged = await bus.publish(thingTold, { number: next }, { messageId: String(next) }).then(
        () => true,
        () => false,
      );
      if (isAcknowledged) next += 1;
      else await sleep(100);
    }
  })();
  return {
    acknowledged: () => next,
    async stop() {
      isStopped = true;
      await publishing;
    },
  };
}

test("streams of one copy get three while events are delivered, and then a server that dies loses no event", async () => {
  const cluster = await startCluster();
  const login = { url: cluster.url, tls: { caFile, ...client } };
  const [publisher, monitor] = [open("ingest", login).bus, open("monitor", login).bus];
  const taken = new Set<number>();
  await monitor.consume(thingTold, { durable: "monitor-first" }, async ({ number }) => void taken.add(number));
  const publishing = keepPublishing(publisher);
  const another = async (): Promise<void> => {
    const before = publishing.acknowledged();
    await eventually(() => expect(publishing.acknowledged()).toBeGreaterThan(before + 10));
  };
  await another();

  const lines: string[] = [];
  const operator = { ...login, user: "operator", password: "operator-password" };
  const options = { replicas: 3, withinMs: 60_000, print: (line: string) => void lines.push(line) };
  expect(await setStreamReplicas(operator, options)).toBe(true);
  expect(lines).toEqual(["TOUCHSTONE_EVENTS: 3 copies", "TOUCHSTONE_DEAD_LETTERS: 3 copies"]);
  await another();

  const [first] = cluster.servers;
  first?.signal("SIGKILL");
  await first?.exited;
  await another();
  await publishing.stop();
  await eventually(() => expect(taken.size).toBe(publishing.acknowledged()));
});

test("a server that is no cluster keeps one copy, and the command says so", async () => {
  const nats = await startServer({ users });
  const login = { url: nats.url, user: "operator", password: "operator-password" };
  const lines: string[] = [];
  const options = { replicas: 3, withinMs: 5_000, print: (line: string) => void lines.push(line) };
  expect(await setStreamReplicas(login, options)).toBe(true);
  expect(lines).toContain(
    "TOUCHSTONE_EVENTS: does not exist yet; a service creates it with SERVICE_NATS_REPLICAS copies",
  );

  lines.length = 0;
  const { bus } = open("ingest", { url: nats.url });
  await untilConnected(bus);
  await bus.publish(thingTold, { number: 1 }, { messageId: "1" });
  expect(await setStreamReplicas(login, options)).toBe(false);
  expect(lines).toContain("TOUCHSTONE_EVENTS: this NATS is not a cluster and stores one copy");

  await expect(setStreamReplicas({ ...login, user: "ingest", password: "ingest-password" }, options)).resolves.toBe(
    false,
  );
});

test.each([
  ["signed by an unknown authority", server, { caFile: otherCaFile, ...client }, /unable to verify|self-signed/],
  ["that expired", expired, { caFile, ...client }, /certificate has expired/],
  ["where ours is missing", server, { caFile }, /./],
  ["with a file that does not exist", server, { caFile: "/nowhere/ca.pem" }, /\/nowhere\/ca\.pem/],
])("a server's certificate %s: the service says why once, and stays disconnected", async (_, pair, tls, reason) => {
  const nats = await startServer({ users, tls: { ...pair, caFile } });

  const { bus, logs } = open("ingest", { url: nats.url, tls });

  await eventually(() => expect(logs).not.toEqual([]));
  expect(bus.status()).toBe("disconnected");
  expect(logs.map(({ level, text }) => `${level}: ${text}`)).toEqual([
    "warn: bus cannot reach NATS; trying again until it can",
  ]);
  expect(logs[0]?.fields).toMatchObject({ err: { message: expect.stringMatching(reason) } });
});
