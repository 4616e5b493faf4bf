import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { readAuthConfig } from "@touchstone/auth";
import { busServices, type ServiceName, serviceNames } from "@touchstone/contracts";
import { readDropinConfig } from "@touchstone/dropin";
import { postgresSettings } from "@touchstone/embedded-servers";
import { readEvalRunsConfig } from "@touchstone/eval-runs";
import { readGatewayConfig } from "@touchstone/gateway";
import { readIngestConfig } from "@touchstone/ingest";
import { readJudgeConfig } from "@touchstone/judge";
import { readMonitorConfig } from "@touchstone/monitor";
import type { Environment } from "@touchstone/service-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "../repository-files.ts";
import {
  type ComposeFile,
  parseEnvironmentFile,
  readComposeFile,
  readPostgresSettings,
  substitute,
} from "./compose-file.ts";

const readers: Record<ServiceName, (environment: Environment) => { warnings: string[] }> = {
  gateway: readGatewayConfig,
  auth: readAuthConfig,
  ingest: readIngestConfig,
  "eval-runs": readEvalRunsConfig,
  judge: readJudgeConfig,
  monitor: readMonitorConfig,
  dropin: readDropinConfig,
};

/** Settings of services that Compose does not pass on, and why. */
const withheld: Readonly<Record<string, string>> = {
  PORT: "a port inside the container",
  SERVICE_DASHBOARD_DIR: "a folder of the image",
  SERVICE_EMAIL_DEBUG_DIR: "the file system is read-only",
  SERVICE_STRICT_CONFIG: "only known names are passed on",
  SERVICE_DB_URL: "each service has its own URL",
  SERVICE_DB_PASSWORD: "it is part of the URL",
  SERVICE_REDIS_PASSWORD: "it is part of the URL",
  SERVICE_REDIS_SENTINEL_PASSWORD: "Redis is one server",
  SERVICE_NATS_REPLICAS: "NATS is one server",
  ...Object.fromEntries(
    ["NATS", "REDIS"].flatMap((server) =>
      ["CA", "CERT", "KEY"].map((file) => [`SERVICE_${server}_${file}`, "the inner network has no TLS"]),
    ),
  ),
};

const initEnv = path.join(repositoryRoot, "deploy/init-env.sh");
let folder = "";
let variables: Record<string, string> = {};
let compose: ComposeFile;

beforeAll(async () => {
  compose = await readComposeFile();
  folder = await mkdtemp(path.join(tmpdir(), "touchstone-env-"));
  await promisify(execFile)(initEnv, [folder]);
  variables = parseEnvironmentFile(await readFile(path.join(folder, ".env"), "utf8"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("init-env.sh", () => {
  test("writes different secrets that only the owner may read", async () => {
    expect((await stat(path.join(folder, ".env"))).mode & 0o777).toBe(0o600);
    const secrets = Object.values(variables);
    expect(new Set(secrets).size).toBe(secrets.length);
    for (const secret of secrets) expect(secret).toMatch(/^p?[0-9a-f]{64}$/);
  });

  test("never overwrites existing secrets", async () => {
    const before = await readFile(path.join(folder, ".env"), "utf8");
    await expect(promisify(execFile)(initEnv, [folder])).rejects.toThrow(/exists and is left as it is/);
    expect(await readFile(path.join(folder, ".env"), "utf8")).toBe(before);
  });

  test("writes exactly the secrets that Compose and the values for NATS on Kubernetes require", async () => {
    const read = (file: string) => readFile(path.join(repositoryRoot, "deploy", file), "utf8");
    const text = await read("compose.yaml");
    const example = await read("helm/touchstone/examples/nats-values.yaml");
    const keys = [...text.matchAll(/\$\{(\w+):\?/g), ...example.matchAll(/\$(\w+_PASSWORD)\b/g)];
    const asked = new Set(keys.map(([, name]) => name));
    expect(asked).toContain("NATS_OPERATOR_PASSWORD");
    expect(Object.keys(variables).sort()).toEqual([...asked].sort());
  });
});

describe("compose.yaml", () => {
  test("runs every service from one image, by its main.ts", () => {
    for (const service of serviceNames) {
      expect(compose.services[service]?.command, service).toEqual([`services/${service}/src/main.ts`]);
      expect(compose.services[service]?.image, service).toBe(compose.services.gateway?.image);
    }
  });

  test.for(serviceNames)("gives %s an environment that it accepts without a warning", (service) => {
    const environment = Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      substitute(String(value), variables),
    ]);
    expect(readers[service](Object.fromEntries(environment)).warnings).toEqual([]);
  });

  test("passes every setting on to the services that read it, but for those it has no use for", async () => {
    const chart = path.join(repositoryRoot, "deploy/helm/touchstone/files/settings.json");
    const known = JSON.parse(await readFile(chart, "utf8")) as Record<string, { readers: ServiceName[] }>;
    const missing = Object.entries(known).flatMap(([name, { readers: readBy }]) =>
      readBy.filter((service) => !(name in (compose.services[service]?.environment ?? {}))).map(() => name),
    );
    expect([...new Set(missing)].sort()).toEqual(Object.keys(withheld).sort());
  });

  test("does not start without secrets, and names the command to run", () => {
    // An operator provides those of sign-in providers and of webhooks, and that of sessions is derived from the root
    // secret.
    const brought = /^SERVICE_(AUTH|GOOGLE_CLIENT|GITHUB_CLIENT|OIDC_CLIENT|WEBHOOK)_SECRET$/;
    const secrets = Object.values(compose.services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(([name]) => /PASSWORD|SECRET|DB_URL|REDIS_URL|REDISCLI_AUTH/.test(name) && !brought.test(name));
    expect(secrets.length).toBeGreaterThan(20);
    for (const [name, value] of secrets) {
      expect(() => substitute(value, {}), name).toThrow(/run deploy\/init-env\.sh/);
    }
  });

  test("publishes only the gateway, on loopback", () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${substitute(port, {})}`),
    );
    expect(published).toEqual(["gateway 127.0.0.1:4700:4700"]);
  });

  test("lets only the gateway, auth, the judge and monitor out of the inner network", () => {
    expect(compose.networks.inside).toEqual({ internal: true });
    const out = Object.entries(compose.services).filter(([, { networks }]) =>
      networks.some((name) => name !== "inside"),
    );
    expect(out.map(([name]) => name)).toEqual(["gateway", "auth", "judge", "monitor"]);
  });

  test("confines every container and watches its health", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(["ALL"]);
      expect(service.security_opt, name).toEqual(["no-new-privileges:true"]);
      expect(service.healthcheck?.test, name).toBeDefined();
      expect(substitute(service.mem_limit, {}), name).toMatch(/^\d+[mg]$/);
    }
  });

  test("waits until the dependencies of a service are healthy", () => {
    for (const [name, { depends_on: needs = {} }] of Object.entries(compose.services)) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        expect(condition, `${name} ${needed}`).toBe("service_healthy");
        expect(Object.keys(compose.services), name).toContain(needed);
      }
    }
  });

  test("uses images with a fixed version", () => {
    const images = Object.values(compose.services).filter(({ build }) => build === undefined);
    for (const { image } of images) expect(image).toMatch(/^[a-z]+:\d/);
  });

  test("runs PostgreSQL with the settings of the embedded one, and a separate cache size", () => {
    const { shared_buffers, ...settings } = readPostgresSettings(compose);
    expect(settings).toEqual(postgresSettings);
    expect(substitute(shared_buffers ?? "", {})).toBe("512MB");
  });

  test("passes nats-server every password that its configuration names", async () => {
    const config = await readFile(path.join(repositoryRoot, "deploy/nats.conf"), "utf8");
    const named = [...config.matchAll(/\$(NATS_\w+)/g)].map(([, name]) => name);
    expect(named).toHaveLength(busServices.length);
    expect(Object.keys(compose.services.nats?.environment ?? {}).sort()).toEqual(named.sort());
  });
});

test("the image is built on a fixed version and runs as an unprivileged user", async () => {
  const dockerfile = await readFile(path.join(repositoryRoot, "deploy/Dockerfile"), "utf8");
  const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage);
  for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) {
    if (!stages.includes(image)) expect(image).toMatch(/^node:\d+-[a-z]+-slim$/);
  }
  expect(dockerfile).toMatch(/^USER node$/m);
});

test("the stages of the image that run a tool have all files that it imports", async () => {
  const dockerfile = await readFile(path.join(repositoryRoot, "deploy/Dockerfile"), "utf8");
  const copied = [...dockerfile.matchAll(/^COPY ((?:tools\/\S+ )+)tools\/$/gm)].map(([, files = ""]) =>
    files.trim().split(" "),
  );
  expect(copied.length).toBeGreaterThan(0);
  for (const files of copied) {
    for (const file of files) {
      const source = await readFile(path.join(repositoryRoot, file), "utf8");
      const imported = [...source.matchAll(/ from "\.\/([^"]+)"/g)].map(([, name]) => `tools/${name}`);
      expect(imported.filter((name) => !files.includes(name))).toEqual([]);
    }
  }
});

test("the ignore file of the image lets every file through that the build copies", async () => {
  const dockerfile = await readFile(path.join(repositoryRoot, "deploy/Dockerfile"), "utf8");
  const ignoreFile = await readFile(path.join(repositoryRoot, "deploy/Dockerfile.dockerignore"), "utf8");
  const passed = ignoreFile.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const copied = [...dockerfile.matchAll(/^COPY ((?!--from)\S.*) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((file) => !passed.includes(file))).toEqual([]);
});
