import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { head, sendRaw, startTestGateway, type TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

/** By which host names and from which pages a gateway is reached. */
let gateway: TestGateway;
const others: TestGateway[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(async () => {
  await gateway?.stop();
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.stop()));
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const other = await startTestGateway(options);
  others.push(other);
  return other;
}

const hostOf = (host: string, headers: Record<string, string> = {}) =>
  sendRaw(gateway.url, head("GET", "/health/live", { host, ...headers })).then((answer) => Number(answer.slice(9, 12)));

test.each(["localhost", "localhost:4700", "LOCALHOST:1", "127.0.0.1:4700", "[::1]:4700", "localhost."])(
  "the host %s is answered",
  async (host) => {
    expect(await hostOf(host)).toBe(200);
  },
);

test.each([
  "evil.example",
  "evil.example:4700",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "",
  "10.0.0.1",
  "[::2]",
])("the host %j is refused, by name and with the setting to change", async (host) => {
  const answer = await sendRaw(gateway.url, head("GET", "/api/v1/auth/config", { host }));

  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).toContain('"statusCode":403');
  expect(answer).toContain("SERVICE_ALLOWED_HOSTS");
});

test("an unknown address on a foreign host is 403, too", async () => {
  expect(await sendRaw(gateway.url, head("GET", "/nothing", { host: "evil.example" }))).toMatch(/^HTTP\/1.1 403 /);
});

test("requests for the public URL and for further host names are answered", async () => {
  const named = await start({
    settings: {
      SERVICE_PUBLIC_URL: "https://traces.example.com/",
      SERVICE_ALLOWED_HOSTS: "Gateway, other.example:8080",
    },
  });

  for (const host of ["traces.example.com", "gateway:4700", "other.example"]) {
    expect(await sendRaw(named.url, head("GET", "/health/live", { host }))).toMatch(/^HTTP\/1.1 200 /);
  }
  const sameOrigin = head("GET", "/health/live", { host: "gateway:4700", origin: "https://traces.example.com" });
  expect(await sendRaw(named.url, sameOrigin)).toMatch(/^HTTP\/1.1 200 /);
});

test("a page of the same origin is answered, a foreign one is refused", async () => {
  expect(await hostOf("localhost:4700", { origin: "http://localhost:4700" })).toBe(200);
  expect(await hostOf("localhost:4700", { origin: "https://localhost:4700" })).toBe(200);
  for (const origin of ["http://evil.example", "http://localhost:3000", "null", "http://localhost:4700.evil.example"]) {
    expect([origin, await hostOf("localhost:4700", { origin })]).toEqual([origin, 403]);
  }
});

test("a page under http is foreign where its host is reached by https, as the public URL or a trusted proxy says", async () => {
  const settings = { SERVICE_PUBLIC_URL: "https://traces.example.com", SERVICE_ALLOWED_HOSTS: "gateway" };
  const named = await start({ settings });
  const proxied = await start({ settings: { SERVICE_ALLOWED_HOSTS: "gateway", SERVICE_TRUST_PROXY: "true" } });
  const unnamed = await start({ settings: { SERVICE_ALLOWED_HOSTS: "gateway" } });
  const byHttps = { "x-forwarded-proto": "https" };
  const statuses = await Promise.all(
    (
      [
        [named, "traces.example.com", "http://traces.example.com", {}],
        [named, "traces.example.com", "https://traces.example.com", {}],
        [named, "gateway:4700", "http://gateway:4700", {}],
        [named, "localhost:4700", "http://localhost:4700", {}],
        [proxied, "gateway", "http://gateway", byHttps],
        [proxied, "gateway", "https://gateway", byHttps],
        [proxied, "gateway", "http://gateway", {}],
        // Only a trusted proxy can set this.
        [unnamed, "gateway", "http://gateway", byHttps],
        [unnamed, "gateway", "https://gateway", {}],
      ] as const
    ).map(async ([{ url }, host, origin, more]) => {
      const answer = await sendRaw(url, head("GET", "/health/live", { host, origin, ...more }));
      return Number(answer.slice(9, 12));
    }),
  );

  expect(statuses).toEqual([403, 200, 200, 200, 403, 200, 200, 200, 200]);
});
