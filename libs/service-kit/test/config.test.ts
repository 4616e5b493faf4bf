import { inspect } from "node:util";
import { Secret } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { addPassword, ConfigError, loadSettings, natsSettings, readNatsConfig, requireSettings } from "../src/index.ts";

function mistakesOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.mistakes;
    throw thrown;
  }
  return [];
}

test("every mistake is reported together, by variable name and without its value", {
  tags: ["spec:settings.refused"],
}, () => {
  const mistakes = mistakesOf(() =>
    loadSettings(["PORT", "SERVICE_DB_URL", "SERVICE_RATE_LIMIT"], {
      PORT: "seven",
      SERVICE_DB_URL: "mysql://user:hunter2@host/db",
      SERVICE_RATE_LIMIT: "maybe",
    }),
  );

  expect(mistakes.map((mistake) => mistake.split(":")[0])).toEqual(["PORT", "SERVICE_DB_URL", "SERVICE_RATE_LIMIT"]);
  expect(mistakes.join()).not.toContain("hunter2");
});

test.each([
  ["SERVICE_TRACING_OTLP_HEADERS", "x-api-key=50%hunter2", "must be name=value, several separated by commas, values"],
  [
    "SERVICE_TRACING_OTLP_ENDPOINT",
    "https://user:hunter2@host/otel",
    "must have no query, no fragment and no password",
  ],
] as const)("%s=%s is refused before anything starts", (name, value, sentence) => {
  const mistakes = mistakesOf(() => loadSettings([name], { [name]: value }));

  expect(mistakes).toEqual([expect.stringContaining(`${name}: ${sentence}`)]);
  expect(mistakes.join()).not.toContain("hunter2");
});

test("an empty value means unset, so the default holds", () => {
  const { values } = loadSettings(["PORT", "SERVICE_REDIS_URL"], { PORT: "", SERVICE_REDIS_URL: "" });

  expect(values).toEqual({ PORT: 4700, SERVICE_REDIS_URL: undefined });
});

test("an unknown SERVICE_ name is a warning that suggests the right name", {
  tags: ["spec:settings.did-you-mean"],
}, () => {
  const { warnings } = loadSettings(["PORT"], { SERVICE_RATE_LIMITT: "off" });

  expect(warnings).toEqual(["SERVICE_RATE_LIMITT: no such setting; did you mean SERVICE_RATE_LIMIT?"]);
});

test("strict configuration turns the warning into a refusal", () => {
  expect(
    mistakesOf(() => loadSettings(["PORT"], { SERVICE_RATE_LIMITT: "off", SERVICE_STRICT_CONFIG: "true" })),
  ).toHaveLength(1);
});

test("an unsupported setting refuses the start instead of being ignored", () => {
  expect(mistakesOf(() => loadSettings(["PORT"], { SERVICE_IMPROVEMENT_SWEEP: "100" }))).toEqual([
    "SERVICE_IMPROVEMENT_SWEEP: this version does not support it yet; remove it",
  ]);
});

test("the key a client library reads from the environment causes no warning", () => {
  expect(loadSettings(["PORT"], { SERVICE_API_KEY: "tsk_x" }).warnings).toEqual([]);
});

test("a secret prints as [secret] however it is printed", () => {
  const { values } = loadSettings(["SERVICE_METRICS_TOKEN"], { SERVICE_METRICS_TOKEN: "hunter2" });
  const secret = values.SERVICE_METRICS_TOKEN;

  expect([`${secret}`, JSON.stringify({ secret }), inspect(values)].join()).not.toContain("hunter2");
  expect(secret?.reveal()).toBe("hunter2");
});

test("all missing settings without a default are reported together", () => {
  expect(
    mistakesOf(() =>
      requireSettings({ url: [undefined, "SERVICE_NATS_URL"], secret: [undefined, "SERVICE_INTERNAL_SECRET"] }),
    ),
  ).toEqual(["SERVICE_NATS_URL: is needed", "SERVICE_INTERNAL_SECRET: is needed"]);
});

test("a password beside a URL becomes part of it, whatever its characters", () => {
  const url = addPassword(new Secret("postgres://ingest@db/touchstone"), new Secret("50%:/@ü#"), "SERVICE_DB_PASSWORD");

  expect(decodeURIComponent(new URL(url.reveal()).password)).toBe("50%:/@ü#");
  expect(url.reveal()).toMatch(/^postgres:\/\/ingest:[\w%]+@db\/touchstone$/);
});

test("a password beside a URL that has one, or that has no host, is a mistake", () => {
  const combine = (url: string) => () => addPassword(new Secret(url), new Secret("hunter2"), "SERVICE_REDIS_PASSWORD");

  for (const url of ["redis://:hunter1@redis:6379", "postgres://db/all?user=a&password=hunter1"]) {
    expect(mistakesOf(combine(url))).toEqual([
      "SERVICE_REDIS_PASSWORD: the URL contains a password, too; remove one of them",
    ]);
  }
  expect(mistakesOf(combine("redis:///0"))).toEqual([
    "SERVICE_REDIS_PASSWORD: the URL names no host; put the password into it",
  ]);
});

test("the servers of a NATS cluster are separated by commas, and half a client certificate is a mistake", () => {
  const read = (environment: Record<string, string>) => {
    const { values } = loadSettings(natsSettings, environment);
    return readNatsConfig(values.SERVICE_NATS_URL ?? "", values);
  };
  const url = "tls://nats-1:4222, tls://nats-2:4222";
  const tls = { SERVICE_NATS_CA: "/tls/ca.crt", SERVICE_NATS_CERT: "/tls/tls.crt", SERVICE_NATS_KEY: "/tls/tls.key" };

  expect(read({ SERVICE_NATS_URL: url, SERVICE_NATS_REPLICAS: "3", ...tls })).toMatchObject({
    url,
    tls: { caFile: "/tls/ca.crt", certFile: "/tls/tls.crt", keyFile: "/tls/tls.key" },
    eventStore: { replicas: 3 },
  });
  expect(read({ SERVICE_NATS_URL: "nats://nats:4222" })).toMatchObject({ tls: undefined, eventStore: { replicas: 1 } });
  expect(mistakesOf(() => read({ SERVICE_NATS_URL: "nats://nats:4222,http://nats:4222" }))).toEqual([
    "SERVICE_NATS_URL: must be one or several nats:// or tls:// addresses, separated by commas",
  ]);
  expect(mistakesOf(() => read({ SERVICE_NATS_REPLICAS: "2" }))).toEqual(["SERVICE_NATS_REPLICAS: must be 1, 3 or 5"]);
  expect(mistakesOf(() => read({ SERVICE_NATS_CERT: "/tls/tls.crt" }))).toEqual([
    "SERVICE_NATS_CERT and SERVICE_NATS_KEY: set both or neither",
  ]);
});
