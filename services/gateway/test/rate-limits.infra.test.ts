import { connect } from "node:net";
import { type OwnRedis, requireRedis, startOwnRedis } from "@touchstone/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import { apiKey, startTestGateway, type TestGateway } from "./test-gateway.ts";

const gateways: TestGateway[] = [];
const proxies: TcpProxy[] = [];
const redises: OwnRedis[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  await Promise.all(redises.splice(0).map((redis) => redis.stop()));
});

/** Separate limits: the group's name is the same everywhere, so the addresses must differ between tests. */
async function start(redisUrl: string): Promise<TestGateway> {
  const gateway = await startTestGateway({
    settings: { SERVICE_REDIS_URL: redisUrl, SERVICE_RATE_LIMIT_DATA_PLANE: "10", SERVICE_TRUST_PROXY: "true" },
  });
  gateways.push(gateway);
  await vi.waitFor(() =>
    expect(gateway.log).toContainEqual(expect.objectContaining({ msg: "rate limits are shared through redis" })),
  );
  return gateway;
}

let lastAddress = 0;
const nextAddress = () => `2001:db8:${process.pid.toString(16)}:${(lastAddress++).toString(16)}::1`;

async function remaining(gateway: TestGateway, address: string): Promise<[status: number, remaining: number]> {
  const answer = await fetch(`${gateway.url}/health/live`, {
    headers: { "x-api-key": apiKey, "x-forwarded-for": address },
  });
  await answer.arrayBuffer();
  return [answer.status, Number(/remaining=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1])];
}

async function behindProxy(redisUrl: string): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(redisUrl);
  const proxy = await startTcpProxy(Number(url.port));
  proxies.push(proxy);
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

test("two gateways count together through redis", async (context) => {
  const url = requireRedis(context);
  const [one, other] = [await start(url), await start(url)];
  const address = nextAddress();

  expect(await remaining(one, address)).toEqual([200, 9]);
  expect(await remaining(other, address)).toEqual([200, 8]);
  expect(await remaining(one, address)).toEqual([200, 7]);
});

test.each(["cut", "freeze"] as const)(
  "redis gone (%s) in the middle of it: no error, still a limit, and counting together again when it is back",
  async (way, context) => {
    const { proxy, url } = await behindProxy(requireRedis(context as never));
    const [cutOff, connected] = [await start(url), await start(requireRedis(context as never))];
    const address = nextAddress();
    expect(await remaining(connected, address)).toEqual([200, 9]);
    expect(await remaining(cutOff, address)).toEqual([200, 8]);

    await proxy[way]();
    const alone: [status: number, remaining: number][] = [];
    const pausesMs: number[] = [];
    for (let request = 0; request < 11; request += 1) {
      const startedMs = performance.now();
      alone.push(await remaining(cutOff, address));
      pausesMs.push(performance.now() - startedMs);
    }
    // The first one may wait for Redis. If all did, an outage of Redis would be one of ours.
    expect(pausesMs.filter((pauseMs) => pauseMs > 200).length).toBeLessThan(5);
    expect(alone.map(([status]) => status)).toEqual([...Array(10).fill(200), 429]);
    expect(await remaining(connected, address)).toEqual([200, 7]);

    await proxy.mend();
    await vi.waitFor(async () => expect(await remaining(cutOff, address)).toEqual([200, expect.any(Number)]));
  },
);

test("a refused address is never asked to wait longer than its window, also when the clock was set back", async (context) => {
  const gateway = await start(requireRedis(context));
  const address = nextAddress();
  const statuses: number[] = [];
  for (let request = 0; request < 11; request += 1) statuses.push((await remaining(gateway, address))[0]);
  expect(statuses.at(-1)).toBe(429);

  const hourMs = 3_600_000;
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - hourMs);
  try {
    const refused = await fetch(`${gateway.url}/health/live`, { headers: { "x-forwarded-for": address } });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit")).toBe("limit=10, remaining=0, reset=60");
    expect(refused.headers.get("retry-after")).toBe("60");
  } finally {
    clock.mockRestore();
  }
});

test("after redis is emptied counting restarts, and the limit applies again", async (context) => {
  // A separate database: others count in the usual one.
  const url = new URL(requireRedis(context));
  url.pathname = "/11";
  const gateway = await start(url.href);
  const address = nextAddress();
  expect(await remaining(gateway, address)).toEqual([200, 9]);

  await flush(url);

  const statuses: number[] = [];
  for (let request = 0; request < 11; request += 1) statuses.push((await remaining(gateway, address))[0]);
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});

test("two gateways under load report no error while redis is frozen, emptied and killed, and admit no more than each counts alone", async (context) => {
  const redis = await startOwnRedis(context as never);
  redises.push(redis);
  const both = [await start(redis.url), await start(redis.url)];
  /** Requests of one address at both gateways, many at once; every one of them is answered. */
  const storm = async (address: string): Promise<number> => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => remaining(both[index % 2] as TestGateway, address)),
    );
    expect(answers.filter(([status]) => status !== 200 && status !== 429)).toEqual([]);
    return answers.filter(([status]) => status === 200).length;
  };

  const counted = nextAddress();
  expect(await remaining(both[0] as TestGateway, counted)).toEqual([200, 9]);
  await flush(new URL(redis.url));
  // Ten together; a redis that this machine lets answer late may cost each its own ten.
  const together = await storm(counted);
  expect(together).toBeGreaterThanOrEqual(10);
  expect(together).toBeLessThanOrEqual(20);

  redis.freeze();
  const address = nextAddress();
  // Each lets ten through by its own count, and no more however long it lasts.
  expect((await storm(address)) + (await storm(address))).toBe(20);
  redis.thaw();

  await redis.kill();
  // With the same counts: requests admitted while it was frozen are not forgotten.
  expect(await storm(address)).toBe(0);
  expect(await storm(nextAddress())).toBe(20);
});

/** Empties the database of a Redis URL. */
function flush(url: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname).on("error", reject);
    let received = "";
    socket.setEncoding("latin1").on("data", (text: unknown) => {
      received += String(text);
      if (received !== "+OK\r\n+OK\r\n") return;
      socket.destroy();
      resolve();
    });
    socket.write(`SELECT ${url.pathname.slice(1) || "0"}\r\nFLUSHDB\r\n`);
  });
}
