import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Metric, metricFamilies, serviceNames, settings } from "@touchstone/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { repositoryFiles } from "../repository-files.ts";
import { buildHelm, chartFolder, helmCache, run } from "./go-tools.ts";
import { isRestricted, type Manifest, podsOf, secretKeysOf } from "./manifests.ts";
import { schemaLocation } from "./write-schemas.ts";

interface NetworkPolicySpec {
  egress?: { ports?: { port: number }[] }[];
}

interface ScaledObjectSpec {
  fallback?: object;
  triggers: { type: string; metadata: { query?: string; threshold?: string } }[];
}

const { helm, kubeconform } = buildHelm();
const examples = path.join(chartFolder, "examples");
const valueFiles = [
  ...(await readdir(path.join(chartFolder, "ci-values"))).map((name) => path.join(chartFolder, "ci-values", name)),
  path.join(examples, "one-node-values.yaml"),
].map((file) => ({ name: path.basename(file, ".yaml"), file }));
const minimal = path.join(chartFolder, "ci-values", "minimal.yaml");

const template = (file: string, ...more: string[]): Promise<string> =>
  run(helm, ["template", "touchstone", chartFolder, "--namespace", "ts", "--values", file, ...more]);
const validate = (file: string): Promise<string> =>
  run(kubeconform, ["-strict", "-summary", "-schema-location", schemaLocation, file]);
const parse = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

/** What the chart answers to the minimal values with one more. */
const refusalOf = (...set: string[]): Promise<string> =>
  template(minimal, ...set.flatMap((each) => ["--set", each])).then(
    () => "accepted",
    (error: Error) => error.message,
  );

describe.each(valueFiles)("with the values of $name", ({ file }) => {
  let manifests: Manifest[];

  beforeAll(async () => {
    manifests = parse(await template(file));
  });

  test("the chart passes helm lint", async () => {
    await run(helm, ["lint", "--strict", chartFolder, "--values", file]);
  });

  test("every manifest is one that Kubernetes or the operator of its kind accepts", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(helmCache, "rendered-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const rendered = path.join(folder, "all.yaml");
    await writeFile(rendered, await template(file));
    expect(await validate(rendered)).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
  });

  test("every service has a Deployment, and each name occurs once", () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    for (const service of serviceNames) expect(names).toContain(`Deployment touchstone-${service}`);
  });

  test("every pod complies with the restricted Pod Security Standard and mounts no token", () => {
    const pods = manifests.flatMap(podsOf);
    expect(pods.length).toBeGreaterThan(serviceNames.length);
    for (const { name, spec } of pods) expect([name, isRestricted(spec)]).toEqual([name, true]);
  });

  test("every key of the Secret is documented, and nothing else contains a password", async () => {
    const readme = await readFile(path.join(chartFolder, "README.md"), "utf8");
    const secrets = Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : []));
    for (const key of manifests.flatMap(secretKeysOf)) {
      expect(readme.includes(`\`${key}\``) || secrets.includes(key), key).toBe(true);
    }
    for (const manifest of manifests) {
      const literals =
        manifest.kind === "ConfigMap"
          ? Object.entries(manifest.data ?? {})
          : podsOf(manifest).flatMap(({ spec }) =>
              spec.containers.flatMap(({ env = [] }) =>
                env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
              ),
            );
      for (const [name, value] of literals) {
        // The address of a database is a secret setting only because it may contain a password.
        expect(secrets.includes(name) && !name.endsWith("_URL"), name).toBe(false);
        expect(value, name).not.toMatch(/:\/\/[^/@]*:[^/@]*@/);
      }
    }
  });

  test("a pod has longer to stop than its service takes", () => {
    const settingsOf = new Map(
      manifests.filter(({ kind }) => kind === "ConfigMap").map(({ metadata, data }) => [metadata.name, data ?? {}]),
    );
    for (const { kind, metadata, spec } of manifests) {
      if (kind !== "Deployment") continue;
      const { SERVICE_STOP_SECONDS = "30", SERVICE_STOP_ANNOUNCE_SECONDS = "0" } = settingsOf.get(metadata.name) ?? {};
      expect(Number(SERVICE_STOP_SECONDS)).toBeGreaterThan(Number(SERVICE_STOP_ANNOUNCE_SECONDS));
      expect(spec?.template?.spec.terminationGracePeriodSeconds).toBe(Number(SERVICE_STOP_SECONDS) + 10);
    }
  });

  test("a service whose migrations a Job runs does not migrate by itself, and the others do", () => {
    const jobs = manifests.filter(({ kind }) => kind === "Job").map(({ metadata }) => metadata.name);
    for (const { kind, metadata, data } of manifests) {
      if (kind !== "ConfigMap" || data?.SERVICE_DB_URL === undefined) continue;
      const job = metadata.name.replace("touchstone-", "touchstone-migrate-");
      expect([metadata.name, data.SERVICE_MIGRATE]).toEqual([metadata.name, jobs.includes(job) ? "off" : "on"]);
    }
  });
});

test.for([
  { set: "settings.SERVICE_RATE_LIMT=off", says: "did you mean SERVICE_RATE_LIMIT," },
  { set: "settings.OPENAI_API_KEY=sk", says: "is a secret; put it into the Secret touchstone" },
  { set: "settings.SERVICE_NATS_URL=nats://a", says: "the chart sets it; use nats.url" },
  { set: "settings.SERVICE_LOG_LEVEL=loud", says: "value must be one of" },
  { set: "settings.SERVICE_AUTH=disabled", says: "everyone who reaches the gateway gets the default project's key" },
  { set: "publicUrl=", says: "publicUrl: is needed" },
  { set: "image.repository=", says: "image.repository: is needed" },
  { set: "postgres.url=", says: "postgres.url: is needed" },
  { set: "postgres.url=postgres://a:hunter2@b/c", says: "postgres.url: contains a password" },
  { set: "redis.url=redis://:hunter2@redis", says: "redis.url: contains a password" },
  { set: "redis.url=redis+sentinel://:hunter2@a/rates", says: "redis.url: contains a password" },
  { set: "httpRoute.enabled=true", says: "httpRoute.parentRefs: is needed" },
  { set: "keda.enabled=true", says: "keda.prometheusUrl: is needed" },
  { set: "externalSecrets.enabled=true", says: "externalSecrets: needs store.name and entry" },
  { set: "settings.SERVICE_OTLP_HTTP_PORT=0", says: "settings.SERVICE_OTLP_HTTP_PORT: must be a port other than 4700" },
  {
    set: "settings.SERVICE_OTLP_GRPC_PORT=4700",
    says: "settings.SERVICE_OTLP_GRPC_PORT: must be a port other than 4700",
  },
  { set: "services.judges.replicas=2", says: "additional properties 'judges' not allowed" },
])("the value $set is refused: $says", async ({ set, says }) => {
  expect(await refusalOf(set)).toContain(says);
});

test("all mistakes are reported at once", async () => {
  const refusal = await refusalOf("publicUrl=", "nats.url=", "settings.SERVICE_TYPO=1");
  for (const name of ["publicUrl", "nats.url", "settings.SERVICE_TYPO"]) expect(refusal).toContain(`- ${name}: `);
});

test("settings reach the services that read them as text, whatever YAML made of them", async () => {
  const manifests = parse(await template(path.join(chartFolder, "ci-values", "everything.yaml")));
  const dataOf = (service: string) =>
    manifests.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === `touchstone-${service}`)?.data;
  expect(dataOf("gateway")).toMatchObject({
    SERVICE_DASHBOARD: "on",
    SERVICE_MULTI_TENANT: "true",
    SERVICE_OTLP_MAX_BODY_BYTES: "67108864",
    SERVICE_STOP_ANNOUNCE_SECONDS: "12.5",
    SERVICE_NATS_REPLICAS: "3",
    SERVICE_NATS_KEY: "/etc/touchstone/nats/tls.key",
    SERVICE_REDIS_CA: "/etc/touchstone/redis/ca.crt",
  });
  expect(dataOf("judge")).not.toHaveProperty("SERVICE_OTLP_MAX_BODY_BYTES");
  expect(dataOf("judge")).toMatchObject({
    SERVICE_DB_URL: "postgres://touchstone_judge@db.example.org:6432/touchstone?sslmode=verify-full",
  });
});

test("with an endpoint for traces every service reaches its port, and otherwise only those that call outside do", async () => {
  const ports = async (file: string, ...more: string[]) =>
    Object.fromEntries(
      parse(await template(file, ...more))
        .filter(({ kind }) => kind === "NetworkPolicy")
        .map(({ metadata, spec }) => [
          metadata.name.replace("touchstone-", ""),
          ((spec as unknown as NetworkPolicySpec).egress ?? []).flatMap(
            (rule) => rule.ports?.map(({ port }) => port) ?? [],
          ),
        ]),
    );
  const traced = await ports(minimal, "--set", "settings.SERVICE_TRACING_OTLP_ENDPOINT=http://collector.tracing:4318");
  const implied = await ports(path.join(chartFolder, "ci-values", "everything.yaml"));
  const untraced = await ports(minimal);
  for (const service of serviceNames) {
    expect(traced[service], service).toContain(4318);
    expect(implied[service], service).toContain(443);
    expect(untraced[service], service).not.toContain(4318);
  }
  expect(traced.migrate).toEqual([53, 53, 5432]);
  // The sentinels, and the servers that they name.
  expect(implied.gateway).toEqual(expect.arrayContaining([26380, 6380]));
});

test("what the migration Jobs need is there before them", async () => {
  const ofJobs = parse(await template(minimal)).filter(({ metadata }) => metadata.name.includes("-migrate"));
  const hooks = ofJobs.map(({ kind, metadata: { annotations = {} } }) => [
    kind,
    annotations["helm.sh/hook"],
    Number(annotations["helm.sh/hook-weight"]),
  ]);
  expect(hooks).toContainEqual(["NetworkPolicy", "pre-install,pre-upgrade", -5]);
  for (const [kind, hook, weight] of hooks) {
    expect([kind === "Job" ? 0 : -5, "pre-install,pre-upgrade"]).toEqual([weight, hook]);
  }
});

test("KEDA scales each service by what it has too much of, from metrics that exist", async () => {
  const queries = parse(await template(path.join(chartFolder, "ci-values", "keda.yaml")))
    .filter(({ kind }) => kind === "ScaledObject")
    .flatMap(({ metadata, spec }) =>
      (spec as unknown as ScaledObjectSpec).triggers.flatMap(({ metadata: { query } }) =>
        query === undefined ? [] : [[metadata.name.replace("touchstone-", ""), query.match(/service_\w+/g)]],
      ),
    );
  expect(Object.fromEntries(queries)).toEqual({
    ingest: ["service_ingest_queue_depth"],
    judge: ["service_judge_calls_waiting", "service_judge_calls_total", "service_judge_call_duration_seconds_sum"],
    monitor: ["service_monitor_checks_due"],
  });
  for (const [, names] of queries) for (const name of names ?? []) expect(findMetric(name), name).toBeDefined();
});

test("KEDA has a fallback where a query may fail, and nowhere else, since it refuses one beside processor time alone", async () => {
  const objects = parse(await template(path.join(chartFolder, "ci-values", "keda.yaml"))).filter(
    ({ kind }) => kind === "ScaledObject",
  );
  expect(objects.length).toBeGreaterThan(3);
  for (const { metadata, spec } of objects) {
    const { fallback, triggers } = spec as unknown as ScaledObjectSpec;
    const isQueried = triggers.some(({ type }) => type === "prometheus");
    expect([metadata.name, fallback !== undefined]).toEqual([metadata.name, isQueried]);
  }
});

test("KEDA takes a judge for full when it has as many calls as SERVICE_JUDGE_CONCURRENCY allows", async () => {
  const thresholdOf = async (...more: string[]): Promise<string | undefined> =>
    parse(await template(path.join(chartFolder, "ci-values", "keda.yaml"), ...more))
      .filter(({ kind, metadata }) => kind === "ScaledObject" && metadata.name === "touchstone-judge")
      .flatMap(({ spec }) => (spec as unknown as ScaledObjectSpec).triggers)
      .find(({ metadata }) => metadata.query !== undefined)?.metadata.threshold;
  const { SERVICE_JUDGE_CONCURRENCY: setting } = settings;
  expect(await thresholdOf()).toBe(String(setting.schema.parse(undefined)));
  expect(await thresholdOf("--set", "settings.SERVICE_JUDGE_CONCURRENCY=40")).toBe("40");
});

test("the manifests of the examples are ones that Kubernetes or the operator accepts", async () => {
  for (const name of ["one-node.yaml", "cloudnativepg.yaml"]) {
    expect(await validate(path.join(examples, name)), name).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
  }
});

test("every alert has a runbook that names pages that exist, and uses metrics and labels that the services have", async () => {
  const files = await repositoryFiles();
  const [alerts = []] = parse(await readFile(path.join(chartFolder, "files/alerts.yaml"), "utf8")) as unknown as [
    { alert: string; expr: string; annotations: { runbook: string } }[],
  ];
  expect(alerts.length).toBeGreaterThan(8);
  for (const { alert, expr, annotations } of alerts) {
    expect(annotations.runbook, alert).toMatch(/^[A-Z].*\.$/);
    for (const page of annotations.runbook.match(/docs\/[\w/-]+\.md/g) ?? []) expect(files).toContain(page);
    for (const [, sample = "", matchers = ""] of expr.matchAll(/(service_\w+)\{([^}]*)\}/g)) {
      const metric = findMetric(sample);
      expect(metric, `${alert}: ${sample}`).toBeDefined();
      for (const [, label = ""] of matchers.matchAll(/(\w+)(?:=|!)/g)) {
        expect(["namespace", "le", ...(metric?.labels ?? [])], `${alert}: ${label}`).toContain(label);
      }
    }
    expect(expr.match(/service_\w+/g)?.length, alert).toBe(expr.match(/service_\w+\{namespace="NAMESPACE"/g)?.length);
  }
});

test("every metric that the sizing page names as a signal, and every one that is a fault, has an alert", async () => {
  const alerts = await readFile(path.join(chartFolder, "files/alerts.yaml"), "utf8");
  const sizing = await readFile(path.join(chartFolder, "../../../docs/operating/sizing.md"), "utf8");
  const signals = [...sizing.matchAll(/`(service_\w+)`/g)].map(([, name = ""]) => name);
  const faults = Object.entries<Metric>(metricFamilies).flatMap(([name, { unit }]) =>
    unit === "0 or 1" ? [name] : [],
  );
  expect(signals.length).toBeGreaterThan(2);
  expect(faults).toContain("service_judge_circuit_open");
  for (const name of [...signals, ...faults, "service_build_info"]) expect(alerts).toContain(`${name}{namespace=`);
  // They have no samples when all processes are gone.
  for (const name of ["service_process_uptime_seconds", "service_judge_calls_waiting"]) {
    expect(alerts).toContain(`absent(${name}{namespace=`);
  }
});

test("the metrics keep their own label for the service, which alerts and the dashboard use", async () => {
  const monitors = parse(await template(path.join(chartFolder, "ci-values", "everything.yaml"))).filter(
    ({ kind }) => kind === "ServiceMonitor",
  ) as unknown as { spec: { endpoints: { honorLabels?: boolean }[] } }[];
  expect(monitors.length).toBe(2);
  for (const { spec } of monitors) expect(spec.endpoints.map(({ honorLabels }) => honorLabels)).toEqual([true]);
});

test("the dashboard is installed as it was generated, with the label that Grafana looks for", async () => {
  const file = "touchstone-overview.json";
  const config = parse(await template(path.join(chartFolder, "ci-values", "everything.yaml"))).find(
    ({ kind, data }) => kind === "ConfigMap" && data?.[file] !== undefined,
  );
  expect(config?.metadata).toMatchObject({ labels: { grafana_dashboard: "1" } });
  const generated = await readFile(path.join(chartFolder, "files/dashboards", file), "utf8");
  expect(JSON.parse(config?.data?.[file] ?? "")).toEqual(JSON.parse(generated));
});

/** The metric that a sample belongs to. */
function findMetric(sample: string): Metric | undefined {
  const metrics: Readonly<Record<string, Metric>> = metricFamilies;
  const histogram = metrics[sample.replace(/_(bucket|count|sum)$/, "")];
  return metrics[sample] ?? (histogram?.type === "histogram" ? histogram : undefined);
}
