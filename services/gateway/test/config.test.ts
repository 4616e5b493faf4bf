import { ConfigError } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { readGatewayConfig } from "../src/config.ts";

const needed = {
  SERVICE_INTERNAL_SECRET: "a root secret of the installation, long enough",
  SERVICE_NATS_URL: "nats://nats:4222",
  SERVICE_AUTH_URL: "http://auth:4000",
  SERVICE_INGEST_URL: "http://ingest-1:4000, http://ingest-2:4000",
  SERVICE_EVAL_RUNS_URL: "http://eval-runs:4000",
  SERVICE_MONITOR_URL: "http://monitor:4000",
};

const read = (settings: Record<string, string>) => readGatewayConfig({ ...needed, ...settings }).config;
const mistakesOf = (environment: Record<string, string>): string => {
  try {
    readGatewayConfig(environment);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.mistakes.join("\n");
    throw thrown;
  }
  return "";
};

test("all missing required settings are listed", () => {
  const mistakes = mistakesOf({});

  for (const name of Object.keys(needed)) expect(mistakes).toContain(`${name}: is needed`);
});

test("by default the gateway listens on loopback at 4700, with the documented limits per address and none per key", {
  tags: ["spec:limit.rate.address"],
}, () => {
  const config = read({});

  expect(config.listen).toEqual({ host: "127.0.0.1", port: 4700 });
  expect(config.services.ingest).toEqual(["http://ingest-1:4000", "http://ingest-2:4000"]);
  expect(config.rateLimits).toEqual({
    credential: 120,
    dataPlane: 6000,
    projectDeletion: 30,
    ingest: null,
    ci: null,
    evaluation: null,
  });
});

test.each(["0.0.0.0", "::", "192.0.2.7", "gateway", "127.evil.example"])(
  "listening on %s requires a setting that the network is trusted",
  (host) => {
    expect(mistakesOf({ ...needed, SERVICE_HOST: host })).toContain("SERVICE_ALLOW_UNAUTHENTICATED_NETWORK=true");
    expect(read({ SERVICE_HOST: host, SERVICE_ALLOW_UNAUTHENTICATED_NETWORK: "true" }).listen.host).toBe(host);
  },
);

test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("%s is loopback", (host) => {
  expect(read({ SERVICE_HOST: host }).listen.host).toBe(host);
});

test.each([
  ["true", true],
  ["false", false],
  ["2", { hops: 2 }],
  ["10.0.0.0/8, 2001:db8::/32,192.0.2.7", ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]],
])("SERVICE_TRUST_PROXY=%s is read as %j", (text, trusted) => {
  expect(read({ SERVICE_TRUST_PROXY: text }).trustedProxies).toEqual(trusted);
});

test.each(["yes", "10.0.0.0/33", "10.0.0.0/8/8", "-1", "10.0.0", "2001:db8::/129"])(
  "SERVICE_TRUST_PROXY=%s is refused",
  (text) => {
    expect(mistakesOf({ ...needed, SERVICE_TRUST_PROXY: text })).toContain("SERVICE_TRUST_PROXY");
  },
);

test.each(["https://app.example/", "app.example", "https://app.example/path", "*"])(
  "SERVICE_TRUSTED_ORIGINS=%s is no origin",
  (text) => {
    expect(mistakesOf({ ...needed, SERVICE_TRUSTED_ORIGINS: text })).toContain("SERVICE_TRUSTED_ORIGINS");
  },
);

test("mistakes are reported together", () => {
  const mistakes = mistakesOf({ ...needed, SERVICE_HOST: "0.0.0.0", SERVICE_TRUST_PROXY: "yes" });

  expect(mistakes).toContain("SERVICE_HOST");
  expect(mistakes).toContain("SERVICE_TRUST_PROXY");
});

const off = { credential: null, dataPlane: null, projectDeletion: null, ingest: null, ci: null, evaluation: null };

test.each([
  [{ SERVICE_RATE_LIMIT: "off", SERVICE_RATE_LIMIT_PER_KEY: "on", SERVICE_RATE_LIMIT_KEY_INGEST: "5" }, off],
  [
    { SERVICE_RATE_LIMIT_CREDENTIAL: "0", SERVICE_RATE_LIMIT_DATA_PLANE: "none" },
    { ...off, projectDeletion: 30 },
  ],
  [
    { SERVICE_RATE_LIMIT_PER_KEY: "on" },
    { ...off, credential: 120, dataPlane: 6000, projectDeletion: 30, ingest: 300, ci: 60, evaluation: 60 },
  ],
  [
    { SERVICE_RATE_LIMIT_PER_KEY: "on", SERVICE_RATE_LIMIT_KEY_INGEST: "1000", SERVICE_RATE_LIMIT_KEY_EVAL: "0" },
    { ...off, credential: 120, dataPlane: 6000, projectDeletion: 30, ingest: 1000, ci: 60, evaluation: null },
  ],
  [{ SERVICE_RATE_LIMIT_KEY_CI: "7" }, { ...off, credential: 120, dataPlane: 6000, projectDeletion: 30, ci: 7 }],
])("with the settings %j the rate limits are %j", (settings, limits) => {
  expect(read(settings as Record<string, string>).rateLimits).toEqual(limits);
});

test("sentinels of Redis are read from a URL, and a password and a database with them", () => {
  const { redis } = read({
    SERVICE_REDIS_URL: "redis+sentinel://user@a.example, b.example:26380,[::1]:5/rates/3",
    SERVICE_REDIS_PASSWORD: "of/the@master",
    SERVICE_REDIS_SENTINEL_PASSWORD: "of-the-sentinels",
  });

  expect(redis?.url.reveal()).toBe("redis://user:of%2Fthe%40master@a.example/3");
  expect(redis?.sentinels?.password?.reveal()).toBe("of-the-sentinels");
  expect(redis?.sentinels).toMatchObject({
    masterName: "rates",
    addresses: [
      { host: "a.example", port: 26379 },
      { host: "b.example", port: 26380 },
      { host: "::1", port: 5 },
    ],
  });
  expect(read({ SERVICE_REDIS_URL: "rediss://:secret@redis:6380/1" }).redis).toMatchObject({
    sentinels: null,
    tls: {},
  });
});

test.each([
  "http://redis:6379",
  "redis+sentinel://a:26379,b:26379",
  "redis+sentinel://a:26379,b:notaport/rates",
  "redis+sentinel://a:26379/rates/first",
  "redis+sentinel://a,,b/rates",
  "redis-sentinel://a:26379/rates",
])("SERVICE_REDIS_URL=%s is refused", (url) => {
  expect(mistakesOf({ ...needed, SERVICE_REDIS_URL: url })).toContain("SERVICE_REDIS_URL: must be a URL");
});

test.each([
  [{ SERVICE_REDIS_CA: import.meta.filename }, "SERVICE_REDIS_CA: SERVICE_REDIS_URL is without TLS"],
  [
    { SERVICE_REDIS_URL: "rediss://redis", SERVICE_REDIS_CA: "/no/such/file" },
    "SERVICE_REDIS_CA: the file cannot be read",
  ],
  [{ SERVICE_REDIS_KEY: import.meta.filename }, "SERVICE_REDIS_CERT and SERVICE_REDIS_KEY: set both or neither"],
  [{ SERVICE_REDIS_SENTINEL_PASSWORD: "x" }, "SERVICE_REDIS_SENTINEL_PASSWORD: SERVICE_REDIS_URL names no sentinels"],
])("the settings of Redis %j are refused", (settings, mistake) => {
  expect(mistakesOf({ ...needed, SERVICE_REDIS_URL: "redis://redis", ...settings })).toContain(mistake);
});
