import { isIP } from "node:net";
import path from "node:path";
import { limits, type Secret, type SettingName } from "@touchstone/contracts";
import {
  ConfigError,
  type Environment,
  loadSettings,
  type NatsConfig,
  natsSettings,
  type ProcessConfig,
  processSettings,
  readNatsConfig,
  readProcessConfig,
  requireSettings,
} from "@touchstone/service-kit";
import { readTrustedProxies, type TrustedProxies } from "./http/client-address.ts";
import type { DrainBounds } from "./http/drain-server.ts";
import type { RateLimitSettings } from "./limits/rate-limits.ts";
import { type RedisConfig, readRedisConfig } from "./limits/redis-config.ts";

export interface GatewayConfig extends Omit<ProcessConfig, "drainMs"> {
  rootSecret: string;
  nats: NatsConfig;
  /** Origins of the replicas of each service. Without those of dropin its paths are 503. */
  services: Readonly<Record<"auth" | "ingest" | "eval-runs" | "monitor" | "dropin", readonly string[]>>;
  publicUrl: string | null;
  /** True if users sign in (interface: Modes). */
  hasAccounts: boolean;
  /** True if organizations are isolated, each with its own quotas. */
  isMultiTenant: boolean;
  /** Accepted host names besides loopback and the public URL's. */
  allowedHosts: readonly string[];
  trustedOrigins: readonly string[];
  trustedProxies: TrustedProxies;
  /** Null: each gateway counts rate limits for itself. */
  redis: RedisConfig | null;
  rateLimits: RateLimitSettings;
  metricsToken: Secret | null;
  /** Shown in settings; the judge uses it. */
  defaultJudgeModel: string;
  /** Null: operators have no overview. */
  adminToken: Secret | null;
  otlpBodyMaxBytes: number;
  /** False prints only the first 8 characters of the default key at start. */
  printsWholeKey: boolean;
  openApiFile: string;
  /** Folder of the built dashboard; null: none is served. */
  dashboardFolder: string | null;
  /** How long a client may take to send a request; then 408. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** How long a reader may read nothing, and a stream send nothing, before the connection is closed. */
  streamIdleMs: number;
  /** How often the key of an open stream is checked again. */
  streamRecheckMs: number;
  /** Maximum number of connections; further ones are closed at once. */
  connectionsMax: number;
  /** Further listeners on the same address; null = none. */
  otlpHttpPort: number | null;
  otlpGrpcPort: number | null;
  /** The time limits of a stop, by phase. */
  drain: DrainBounds;
}

const gatewaySettings = [
  ...processSettings,
  "SERVICE_PUBLIC_URL",
  "SERVICE_ALLOWED_HOSTS",
  "SERVICE_TRUSTED_ORIGINS",
  "SERVICE_ALLOW_UNAUTHENTICATED_NETWORK",
  "SERVICE_TRUST_PROXY",
  "SERVICE_AUTH",
  "SERVICE_MULTI_TENANT",
  "SERVICE_DASHBOARD",
  "SERVICE_DASHBOARD_DIR",
  "SERVICE_PRINT_KEY",
  "SERVICE_DEFAULT_JUDGE_MODEL",
  ...natsSettings,
  "SERVICE_REDIS_URL",
  "SERVICE_REDIS_PASSWORD",
  "SERVICE_REDIS_SENTINEL_PASSWORD",
  "SERVICE_REDIS_CA",
  "SERVICE_REDIS_CERT",
  "SERVICE_REDIS_KEY",
  "SERVICE_INTERNAL_SECRET",
  "SERVICE_AUTH_URL",
  "SERVICE_INGEST_URL",
  "SERVICE_EVAL_RUNS_URL",
  "SERVICE_MONITOR_URL",
  "SERVICE_DROPIN_URL",
  "SERVICE_RATE_LIMIT",
  "SERVICE_RATE_LIMIT_CREDENTIAL",
  "SERVICE_RATE_LIMIT_DATA_PLANE",
  "SERVICE_RATE_LIMIT_PER_KEY",
  "SERVICE_RATE_LIMIT_KEY_INGEST",
  "SERVICE_RATE_LIMIT_KEY_CI",
  "SERVICE_RATE_LIMIT_KEY_EVAL",
  "SERVICE_METRICS_TOKEN",
  "SERVICE_ADMIN_TOKEN",
  "SERVICE_OTLP_MAX_BODY_BYTES",
  "SERVICE_OTLP_HTTP_PORT",
  "SERVICE_OTLP_GRPC_PORT",
  "SERVICE_STOP_ANNOUNCE_SECONDS",
] as const satisfies SettingName[];

/** Reads the gateway's settings; reports every mistake, by variable name. */
export function readGatewayConfig(environment: Environment): { config: GatewayConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(gatewaySettings, environment);
  const { rootSecret, natsUrl, auth, ingest, evalRuns, monitor } = requireSettings({
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
    natsUrl: [values.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    auth: [values.SERVICE_AUTH_URL, "SERVICE_AUTH_URL"],
    ingest: [values.SERVICE_INGEST_URL, "SERVICE_INGEST_URL"],
    evalRuns: [values.SERVICE_EVAL_RUNS_URL, "SERVICE_EVAL_RUNS_URL"],
    monitor: [values.SERVICE_MONITOR_URL, "SERVICE_MONITOR_URL"],
  });
  const { drainMs, ...shared } = readProcessConfig(values, { stopDefaultSeconds: 10, followUpMaxMs: 2_000 });
  const mistakes: string[] = [];
  const hasAccounts = values.SERVICE_AUTH === "enabled";
  if (!hasAccounts && !isLoopback(values.SERVICE_HOST) && !values.SERVICE_ALLOW_UNAUTHENTICATED_NETWORK) {
    mistakes.push(
      `SERVICE_HOST: without accounts, whoever reaches ${values.SERVICE_HOST} gets the default project's key. Listen on 127.0.0.1, or set SERVICE_ALLOW_UNAUTHENTICATED_NETWORK=true if everyone in that network may have it`,
    );
  }
  const trustedProxies = readTrustedProxies(values.SERVICE_TRUST_PROXY);
  if (trustedProxies === null) {
    mistakes.push("SERVICE_TRUST_PROXY: must be true, false, a number of hops, or addresses and subnets (10.0.0.0/8)");
  }
  const foreign = values.SERVICE_TRUSTED_ORIGINS.filter((origin) => !isOrigin(origin));
  if (foreign.length > 0) mistakes.push("SERVICE_TRUSTED_ORIGINS: must be origins such as https://app.example.com");
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    config: {
      ...shared,
      rootSecret: rootSecret.reveal(),
      nats: readNatsConfig(natsUrl, values),
      services: { auth, ingest, "eval-runs": evalRuns, monitor, dropin: values.SERVICE_DROPIN_URL ?? [] },
      publicUrl: values.SERVICE_PUBLIC_URL ?? null,
      hasAccounts,
      isMultiTenant: hasAccounts && values.SERVICE_MULTI_TENANT,
      allowedHosts: values.SERVICE_ALLOWED_HOSTS,
      trustedOrigins: values.SERVICE_TRUSTED_ORIGINS,
      trustedProxies: trustedProxies ?? false,
      redis: readRedisConfig(values),
      rateLimits: readRateLimits(values),
      defaultJudgeModel: values.SERVICE_DEFAULT_JUDGE_MODEL,
      metricsToken: values.SERVICE_METRICS_TOKEN ?? null,
      adminToken: values.SERVICE_ADMIN_TOKEN ?? null,
      otlpBodyMaxBytes: values.SERVICE_OTLP_MAX_BODY_BYTES,
      printsWholeKey: values.SERVICE_PRINT_KEY,
      openApiFile: path.join(import.meta.dirname, "../../../libs/contracts/golden/openapi.v1.json"),
      dashboardFolder: readDashboardFolder(values),
      requestTimeoutMs: 60_000,
      headersTimeoutMs: 15_000,
      streamIdleMs: 60_000,
      streamRecheckMs: 4_000,
      connectionsMax: 10_000,
      otlpHttpPort: values.SERVICE_OTLP_HTTP_PORT ?? null,
      otlpGrpcPort: values.SERVICE_OTLP_GRPC_PORT ?? null,
      drain: { announceMs: values.SERVICE_STOP_ANNOUNCE_SECONDS * 1000, drainMs },
    },
    warnings,
  };
}

/** The documented figures per key (interface: Limits), applied by `SERVICE_RATE_LIMIT_PER_KEY=on`. */
const perKeyDefaults = { ingest: 300, ci: 60, evaluation: 60 };

/** An explicit figure applies by itself, so that no other switch can disable it. */
function readRateLimits(values: {
  SERVICE_RATE_LIMIT: "on" | "off";
  SERVICE_RATE_LIMIT_CREDENTIAL: number | null;
  SERVICE_RATE_LIMIT_DATA_PLANE: number | null;
  SERVICE_RATE_LIMIT_PER_KEY: "on" | "off";
  SERVICE_RATE_LIMIT_KEY_INGEST: number | null | undefined;
  SERVICE_RATE_LIMIT_KEY_CI: number | null | undefined;
  SERVICE_RATE_LIMIT_KEY_EVAL: number | null | undefined;
}): RateLimitSettings {
  const off = { credential: null, dataPlane: null, projectDeletion: null, ingest: null, ci: null, evaluation: null };
  if (values.SERVICE_RATE_LIMIT === "off") return off;
  const defaults = values.SERVICE_RATE_LIMIT_PER_KEY === "on" ? perKeyDefaults : off;
  const figure = (set: number | null | undefined, otherwise: number | null) => (set === undefined ? otherwise : set);
  return {
    credential: values.SERVICE_RATE_LIMIT_CREDENTIAL,
    dataPlane: values.SERVICE_RATE_LIMIT_DATA_PLANE,
    projectDeletion: limits.projectDeletionsPerWindowMax,
    ingest: figure(values.SERVICE_RATE_LIMIT_KEY_INGEST, defaults.ingest),
    ci: figure(values.SERVICE_RATE_LIMIT_KEY_CI, defaults.ci),
    evaluation: figure(values.SERVICE_RATE_LIMIT_KEY_EVAL, defaults.evaluation),
  };
}

function readDashboardFolder(values: {
  SERVICE_DASHBOARD: "on" | "off";
  SERVICE_DASHBOARD_DIR?: string | undefined;
}): string | null {
  const { SERVICE_DASHBOARD: wanted, SERVICE_DASHBOARD_DIR: folder } = values;
  return wanted === "off" || folder === undefined ? null : path.resolve(folder);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}
