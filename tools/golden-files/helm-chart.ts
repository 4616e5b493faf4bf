import { readFile } from "node:fs/promises";
import path from "node:path";
import { type ServiceName, type Setting, type SettingName, serviceNames, settings } from "@touchstone/contracts";
import { z } from "zod";
import { repositoryRoot } from "../repository-files.ts";

/** Settings that the chart sets itself, with the value that decides them. */
const setByChart: Partial<Record<SettingName, string>> = {
  PORT: "itself",
  SERVICE_HOST: "itself",
  SERVICE_DASHBOARD_DIR: "itself",
  SERVICE_PUBLIC_URL: "publicUrl",
  SERVICE_MIGRATE: "migrations.enabled",
  SERVICE_DB_URL: "postgres.url",
  SERVICE_AUTH_DB_URL: "postgres.url",
  SERVICE_INGEST_DB_URL: "postgres.url",
  SERVICE_EVAL_RUNS_DB_URL: "postgres.url",
  SERVICE_JUDGE_DB_URL: "postgres.url",
  SERVICE_MONITOR_DB_URL: "postgres.url",
  SERVICE_DB_PASSWORD: "secrets.existing",
  SERVICE_NATS_URL: "nats.url",
  SERVICE_NATS_USER: "itself",
  SERVICE_NATS_PASSWORD: "secrets.existing",
  SERVICE_NATS_CA: "nats.tlsSecret",
  SERVICE_NATS_CERT: "nats.tlsSecret",
  SERVICE_NATS_KEY: "nats.tlsSecret",
  SERVICE_NATS_REPLICAS: "nats.replicas",
  SERVICE_REDIS_URL: "redis.url",
  SERVICE_REDIS_PASSWORD: "secrets.existing",
  SERVICE_REDIS_CA: "redis.tlsSecret",
  SERVICE_REDIS_CERT: "redis.tlsSecret",
  SERVICE_REDIS_KEY: "redis.tlsSecret",
  SERVICE_INTERNAL_SECRET: "secrets.existing",
  SERVICE_AUTH_URL: "itself",
  SERVICE_INGEST_URL: "itself",
  SERVICE_EVAL_RUNS_URL: "itself",
  SERVICE_MONITOR_URL: "itself",
  SERVICE_DROPIN_URL: "itself",
};

const inputOf = ({ schema }: Setting) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

/** `files/settings.json`: what the templates know of each setting: its choices, its readers, and who sets it. */
export function describeChartSettings(readers: ReadonlyMap<string, readonly string[]>): unknown {
  const described = Object.entries<Setting>(settings).map(([name, setting]) => {
    const named = (readers.get(name) ?? []).flatMap((reader) => reader.split(", "));
    const readBy = named.includes("every service") ? serviceNames : serviceNames.filter((each) => named.includes(each));
    const chart = setByChart[name as SettingName];
    const choices = inputOf(setting).enum;
    return [
      name,
      {
        readers: readBy,
        secret: setting.secret,
        ...(choices !== undefined && { values: choices }),
        ...(chart !== undefined && { chart }),
      },
    ];
  });
  return Object.fromEntries(described);
}

const text = { type: "string" };
const flag = { type: "boolean" };
const count = { type: "integer", minimum: 0 };
const texts = { type: "object", additionalProperties: text };
const listOf = (items: unknown) => ({ type: "array", items });
const anyObject = { type: "object" };
const closed = (properties: Record<string, unknown>) => ({ type: "object", additionalProperties: false, properties });

/** An amount of processor time or memory: `500m`, `1`, `768Mi`. */
const quantity = { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi)?$" };

const service = closed({
  replicas: { type: "integer", minimum: 1 },
  max: count,
  cpu: quantity,
  memory: quantity,
  tmp: quantity,
});

/**
 * `values.schema.json`: the form of the chart's values. The values of settings are checked here, and their names by a
 * template, which can say what was meant.
 */
export function describeChartValues(): unknown {
  const settable = Object.entries<Setting>(settings).filter(
    ([name, { secret }]) => !secret && setByChart[name as SettingName] === undefined,
  );
  const services: Record<ServiceName, unknown> = {
    gateway: service,
    auth: service,
    ingest: service,
    "eval-runs": service,
    judge: service,
    monitor: service,
    dropin: service,
  };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart touchstone",
    ...closed({
      global: anyObject,
      image: closed({
        repository: text,
        tag: text,
        digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
        pullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
        pullSecrets: listOf(text),
      }),
      publicUrl: text,
      secrets: closed({ existing: { type: "string", minLength: 1 } }),
      externalSecrets: closed({
        enabled: flag,
        store: closed({ name: text, kind: { enum: ["SecretStore", "ClusterSecretStore"] } }),
        entry: text,
        refreshInterval: text,
      }),
      caSecret: text,
      postgres: closed({ url: text }),
      nats: closed({ url: text, replicas: { enum: [1, 3, 5] }, tlsSecret: text }),
      redis: closed({ url: text, port: { type: "integer", minimum: 1, maximum: 65_535 }, tlsSecret: text }),
      services: closed(services),
      settings: {
        type: "object",
        properties: Object.fromEntries(settable.map(([name, setting]) => [name, describeValue(setting)])),
      },
      migrations: closed({ enabled: flag, deadlineSeconds: { type: "integer", minimum: 1 } }),
      ingress: closed({ enabled: flag, className: text, tlsSecret: text, annotations: texts }),
      httpRoute: closed({ enabled: flag, parentRefs: listOf(anyObject) }),
      networkPolicy: closed({ enabled: flag, gatewayFrom: listOf(anyObject) }),
      keda: closed({ enabled: flag, prometheusUrl: text }),
      monitoring: closed({ enabled: flag, namespace: text, labels: texts }),
      nodeSelector: texts,
      tolerations: listOf(anyObject),
      podLabels: texts,
      podAnnotations: texts,
      priorityClassName: text,
    }),
  };
}

/** YAML reads `true` and `on` as booleans and `5` as a number; the chart turns them into text again. */
function describeValue(setting: Setting): unknown {
  const { description } = setting;
  const { enum: choices, type, minimum, maximum, exclusiveMinimum } = inputOf(setting);
  if (choices?.includes("true") || choices?.includes("on")) return { description, enum: [...choices, true, false] };
  if (choices !== undefined) return { description, enum: choices };
  if (type !== "integer" && type !== "number") return { description, type: ["string", "number", "boolean"] };
  const bounds = Object.entries({ minimum, maximum, exclusiveMinimum }).filter(([, bound]) => bound !== undefined);
  const number = { type, ...Object.fromEntries(bounds) };
  return { description, anyOf: [number, { type: "string", pattern: "^-?[0-9]+(\\.[0-9]+)?$" }] };
}

/** The alerts of the chart as a file of rules for a Prometheus without Kubernetes, where samples have no namespace. */
export async function renderPrometheusAlerts(): Promise<string> {
  const file = path.join(repositoryRoot, "deploy/helm/touchstone/files/alerts.yaml");
  const rules = (await readFile(file, "utf8")).replaceAll(/namespace="NAMESPACE"(, )?/g, "").replaceAll("{}", "");
  return `# For rule_files of Prometheus; docs/operating/metrics.md. Generated from the alerts of the Helm chart.
groups:
  - name: touchstone
    rules:
${rules.trimEnd().replaceAll(/^(?=.)/gm, "      ")}
`;
}
