import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type OwnRedis, startOwnRedis, testCertificates } from "@touchstone/testkit";
import { Redis } from "ioredis";
import { expect, onTestFinished, type TestContext, test, vi } from "vitest";
import { apiKey, startTestGateway, type TestGateway } from "./test-gateway.ts";

const { caFile, otherCaFile, server, client } = testCertificates;
const serverTls = { caFile, ...server };
const clientTls = { SERVICE_REDIS_CA: caFile, SERVICE_REDIS_CERT: client.certFile, SERVICE_REDIS_KEY: client.keyFile };
const masterName = "rates";

async function redis(context: TestContext, options: Parameters<typeof startOwnRedis>[1]): Promise<OwnRedis> {
  const started = await startOwnRedis(context, options);
  onTestFinished(started.stop);
  return started;
}

async function gateway(settings: Record<string, string>): Promise<TestGateway> {
  const started = await startTestGateway({ settings: { ...settings, SERVICE_RATE_LIMIT_DATA_PLANE: "100" } });
  onTestFinished(() => started.stop());
  return started;
}

const isShared = (one: TestGateway) =>
  expect.poll(() => one.log).toContainEqual(expect.objectContaining({ msg: "rate limits are shared through redis" }));

/** Waits for a line of the log that says why Redis cannot be used. */
const isAlone = (one: TestGateway, reason: RegExp) =>
  expect
    .poll(() => one.log)
    .toContainEqual(
      expect.objectContaining({
        msg: expect.stringMatching(/^Redis is unavailable/),
        reason: expect.stringMatching(reason),
      }),
    );

async function remaining({ url }: TestGateway): Promise<number> {
  const answer = await fetch(`${url}/health/live`, { headers: { "x-api-key": apiKey } });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return Number(/remaining=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
}

/** Both count in one place: each request of either leaves one fewer. */
async function expectCountedTogether(one: TestGateway, other: TestGateway): Promise<void> {
  const before = await remaining(one);
  expect(await remaining(other)).toBe(before - 1);
  expect(await remaining(one)).toBe(before - 2);
}

test("two gateways with certificates count together through a redis with TLS that verifies its clients", async (context) => {
  const { url } = await redis(context, { tls: serverTls });
  const settings = { SERVICE_REDIS_URL: url, ...clientTls };
  const [one, other] = [await gateway(settings), await gateway(settings)];
  await Promise.all([isShared(one), isShared(other)]);

  await expectCountedTogether(one, other);
});

test.for([
  {
    what: "an authority that did not sign the server",
    settings: { ...clientTls, SERVICE_REDIS_CA: otherCaFile },
    reason: /certificate/,
  },
  // By the order of events the server's alert or the end of the connection.
  {
    what: "no certificate of its own",
    settings: { SERVICE_REDIS_CA: caFile },
    reason: /certificate required|ECONNRESET/,
  },
])("with $what a gateway names the reason, and counts alone", async ({ settings, reason }, context) => {
  const { url } = await redis(context, { tls: serverTls });
  const one = await gateway({ SERVICE_REDIS_URL: url, ...settings });

  await isAlone(one, reason);
  expect(await remaining(one)).toBe(99);
  expect(await remaining(one)).toBe(98);
});

test("a certificate that is replaced is used at the next connection, without a restart", async (context) => {
  const { url } = await redis(context, { tls: serverTls });
  const folder = await mkdtemp(path.join(tmpdir(), "touchstone-redis-ca-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const replaced = path.join(folder, "ca.pem");
  await copyFile(otherCaFile, replaced);
  const settings = { SERVICE_REDIS_URL: url, ...clientTls, SERVICE_REDIS_CA: replaced };
  const one = await gateway(settings);
  await isAlone(one, /certificate/);

  await rm(replaced);
  await copyFile(caFile, replaced);
  await isShared(one);
});

test("gateways ask the sentinels for the master, and count together again on the next one after it died", async (context) => {
  const password = "of-the-servers";
  const login = [`requirepass ${password}`, `masterauth ${password}`];
  const master = await redis(context, { lines: login });
  const replica = await redis(context, { lines: [...login, `replicaof 127.0.0.1 ${master.port}`] });
  const sentinel = await redis(context, {
    isSentinel: true,
    lines: [...sentinelLines(master.port), `sentinel auth-pass ${masterName} ${password}`, "requirepass of-sentinels"],
  });
  const settings = {
    // Nothing listens at the first address.
    SERVICE_REDIS_URL: `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/${masterName}`,
    SERVICE_REDIS_PASSWORD: password,
    SERVICE_REDIS_SENTINEL_PASSWORD: "of-sentinels",
  };
  const [one, other] = [await gateway(settings), await gateway(settings)];
  await Promise.all([isShared(one), isShared(other)]);
  await expectCountedTogether(one, other);
  await untilPromotable(sentinel, "of-sentinels");

  await master.kill();
  for (const each of [one, other]) each.log.length = 0;
  await Promise.all([isShared(one), isShared(other)]);
  await expectCountedTogether(one, other);
  expect(await masterOf(sentinel, "of-sentinels")).toEqual(["127.0.0.1", String(replica.port)]);
});

test("sentinels and servers are reached with TLS", async (context) => {
  const master = await redis(context, { tls: serverTls });
  const sentinel = await redis(context, { tls: serverTls, isSentinel: true, lines: sentinelLines(master.port) });
  const settings = {
    SERVICE_REDIS_URL: `rediss+sentinel://127.0.0.1:${sentinel.port}/${masterName}/1`,
    ...clientTls,
  };
  const [one, other] = [await gateway(settings), await gateway(settings)];
  await Promise.all([isShared(one), isShared(other)]);

  await expectCountedTogether(one, other);
});

test("passwords that are refused, by a server or by a sentinel, are in no line of the log", async (context) => {
  const master = await redis(context, { lines: ["requirepass right"] });
  const sentinel = await redis(context, {
    isSentinel: true,
    lines: [...sentinelLines(master.port), "requirepass right"],
  });
  const passwords = { SERVICE_REDIS_PASSWORD: "wrong-of-server", SERVICE_REDIS_SENTINEL_PASSWORD: "wrong-of-sentinel" };
  const sentinels = `redis+sentinel://127.0.0.1:${sentinel.port}/${masterName}`;
  const refused = [
    await gateway({ SERVICE_REDIS_URL: master.url, SERVICE_REDIS_PASSWORD: passwords.SERVICE_REDIS_PASSWORD }),
    await gateway({ SERVICE_REDIS_URL: sentinels, ...passwords }),
    await gateway({ SERVICE_REDIS_URL: sentinels, ...passwords, SERVICE_REDIS_SENTINEL_PASSWORD: "right" }),
  ];

  for (const one of refused) {
    await isAlone(one, /WRONGPASS/);
    expect(JSON.stringify(one.log)).not.toContain("wrong-of");
  }
});

test("a master that the sentinels do not know is named in the log", async (context) => {
  const master = await redis(context, {});
  const sentinel = await redis(context, { isSentinel: true, lines: sentinelLines(master.port) });
  const one = await gateway({ SERVICE_REDIS_URL: `redis+sentinel://127.0.0.1:${sentinel.port}/typo` });

  await isAlone(one, /No such master with that name/);
  expect(await remaining(one)).toBe(99);
});

function sentinelLines(masterPort: number): string[] {
  return [
    `sentinel monitor ${masterName} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${masterName} 1000`,
    `sentinel failover-timeout ${masterName} 5000`,
  ];
}

/** A sentinel promotes only a replica that it knows and whose link to the master works. */
async function untilPromotable(sentinel: OwnRedis, password: string): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(JSON.stringify(await askSentinel(sentinel, password, "replicas"))).toContain('link-status","ok"'),
    { timeout: 30_000, interval: 200 },
  );
}

const masterOf = (sentinel: OwnRedis, password: string): Promise<unknown> =>
  askSentinel(sentinel, password, "get-master-addr-by-name");

async function askSentinel({ port }: OwnRedis, password: string, question: string): Promise<unknown> {
  const connection = new Redis({ port, password, enableReadyCheck: false });
  try {
    return await connection.call("sentinel", question, masterName);
  } finally {
    connection.disconnect();
  }
}
