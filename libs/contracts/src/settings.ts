import { z } from "zod";
import {
  databaseUrl,
  days,
  flag,
  headerList,
  issuer,
  limit,
  list,
  natsUrls,
  port,
  positiveInteger,
  redisUrl,
  url,
  urlList,
} from "./setting-values.ts";

/** One environment variable: how its text is read, what it means, and whether its value may ever be printed. */
export interface Setting<Schema extends z.ZodType = z.ZodType, IsSecret extends boolean = boolean> {
  schema: Schema;
  description: string;
  secret: IsSecret;
}

function setting<Schema extends z.ZodType>(schema: Schema, description: string): Setting<Schema, false> {
  return { schema, description, secret: false };
}

function secret<Schema extends z.ZodType>(schema: Schema, description: string): Setting<Schema, true> {
  return { schema, description, secret: true };
}

/**
 * Every environment variable that this version reads, in one table: services select the rows they need, the reference
 * in `docs/operating/settings.md` is generated from it, and an unknown name gets a did-you-mean. An empty value means
 * unset.
 */
export const settings = {
  PORT: setting(port.default(4700), "Port the service listens on. 4700 for the gateway; 0 picks a free one."),
  SERVICE_HOST: setting(z.string().default("127.0.0.1"), "Address the service listens on."),
  SERVICE_HOME: setting(
    z.string().optional(),
    "Standalone: folder that holds all data. Default: ~/.touchstone (root: /var/lib/touchstone).",
  ),
  SERVICE_PUBLIC_URL: setting(url("http:", "https:").optional(), "Address under which users reach the gateway."),
  SERVICE_ALLOWED_HOSTS: setting(
    list.default([]),
    "Further host names (comma-separated) the gateway answers to, besides loopback names and the public URL's.",
  ),
  SERVICE_TRUSTED_ORIGINS: setting(
    list.default([]),
    "Further browser origins (comma-separated) that may call the gateway.",
  ),
  SERVICE_ALLOW_UNAUTHENTICATED_NETWORK: setting(
    flag.default(false),
    "Allow a gateway without accounts to listen on more than loopback: everyone who can reach it gets the default key.",
  ),
  SERVICE_TRUST_PROXY: setting(
    z.string().optional(),
    "Take the client address from X-Forwarded-For, and the scheme from X-Forwarded-Proto: true, a number of hops, or a list of subnets.",
  ),
  SERVICE_AUTH: setting(
    z.enum(["disabled", "enabled"], { error: 'must be "enabled" or "disabled"' }).default("disabled"),
    "enabled: users sign in, and the first account takes all existing projects. disabled: everyone who can reach the installation can use it.",
  ),
  SERVICE_MULTI_TENANT: setting(
    flag.default(false),
    "With accounts: each new account gets its own organization, judged only with that organization's provider keys.",
  ),
  SERVICE_OPEN_SIGNUP: setting(
    flag.default(false),
    "With accounts: each new account becomes a member of the installation's organization.",
  ),
  SERVICE_AUTH_SECRET: secret(
    z.string().min(32, { error: "must have at least 32 characters" }).optional(),
    "Secret that signs session cookies. Derived from SERVICE_INTERNAL_SECRET when unset.",
  ),
  SERVICE_GOOGLE_CLIENT_ID: setting(
    z.string().optional(),
    "With accounts: sign-in by Google. Its redirect URI is SERVICE_PUBLIC_URL/api/v1/auth/callback/google.",
  ),
  SERVICE_GOOGLE_CLIENT_SECRET: secret(z.string().optional(), "The secret of that client."),
  SERVICE_GITHUB_CLIENT_ID: setting(
    z.string().optional(),
    "With accounts: sign-in by GitHub. Its redirect URI is SERVICE_PUBLIC_URL/api/v1/auth/callback/github.",
  ),
  SERVICE_GITHUB_CLIENT_SECRET: secret(z.string().optional(), "The secret of that client."),
  SERVICE_OIDC_ISSUER: setting(
    issuer.optional(),
    "With accounts: sign-in by this OpenID Connect provider. Its redirect URI is SERVICE_PUBLIC_URL/api/v1/auth/callback/oidc.",
  ),
  SERVICE_OIDC_CLIENT_ID: setting(z.string().optional(), "This installation's client at that provider."),
  SERVICE_OIDC_CLIENT_SECRET: secret(z.string().optional(), "The secret of that client."),
  SERVICE_OIDC_NAME: setting(z.string().optional(), "Name of that provider on the sign-in page. Default: SSO."),
  SERVICE_SMTP_URL: secret(url("smtp:", "smtps:").optional(), "Mail server, with its user and password."),
  SERVICE_RESEND_API_KEY: secret(z.string().optional(), "Key of the hosted mail API (Resend), used without SMTP."),
  SERVICE_EMAIL_FROM: setting(z.string().optional(), "Sender of mails: an address, or Name <address>."),
  SERVICE_EMAIL_DEBUG_DIR: setting(
    z.string().optional(),
    "Write each mail as a JSON file into this folder instead of sending it.",
  ),
  SERVICE_REQUIRE_EMAIL_VERIFICATION: setting(
    flag.default(false),
    "With accounts and a way to send mail: users can sign in only after they verified their address.",
  ),
  SERVICE_DASHBOARD: setting(
    z.enum(["on", "off"], { error: 'must be "on" or "off"' }).default("on"),
    "off: the gateway serves no dashboard, and standalone builds none.",
  ),
  SERVICE_DASHBOARD_DIR: setting(
    z.string().optional(),
    "Folder of the built dashboard. Set in the image; standalone builds one of its own when unset.",
  ),
  SERVICE_PRINT_KEY: setting(
    flag.default(true),
    "Print the whole default project key at start; false prints its first 8 characters.",
  ),
  SERVICE_STRICT_CONFIG: setting(
    flag.default(false),
    "Refuse to start on an unknown SERVICE_* name instead of warning.",
  ),
  SERVICE_STOP_SECONDS: setting(
    positiveInteger.optional(),
    "How long a stopping process may finish requests in progress before it exits. Default: 10 for the gateway and standalone, 30 for the others.",
  ),
  SERVICE_STALL_SECONDS: setting(
    z.coerce.number({ error: "must be a number of seconds" }).int().min(0).max(86_400).default(30),
    "If the event loop is blocked for this long, the process logs what blocks it and exits with code 70, so that the platform restarts it. 0 turns this off, for example for a debugger.",
  ),
  SERVICE_STOP_ANNOUNCE_SECONDS: setting(
    z.coerce.number({ error: "must be a number of seconds" }).min(0).max(60).default(0.5),
    "How long a stopping gateway still accepts connections after it reports that it is not ready. Set it above the health check interval of your load balancer.",
  ),
  SERVICE_TRACING_OTLP_ENDPOINT: setting(
    issuer.optional(),
    "Where the traces of this installation's own requests are sent, by OTLP over HTTP; /v1/traces is appended. Of another Touchstone: its address and /api/v1/otel. Unset: requests are not traced.",
  ),
  SERVICE_TRACING_OTLP_HEADERS: secret(
    headerList.optional(),
    "Headers of these exports, such as x-api-key=tsk_...: name=value, several separated by commas, values percent-encoded.",
  ),
  SERVICE_TRACING_RATIO: setting(
    z.coerce.number({ error: "must be a number" }).min(0).max(1).default(1),
    "Share of the requests that are traced, from 0 to 1.",
  ),
  SERVICE_LOG_LEVEL: setting(
    z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
    "Least severe log line that is written.",
  ),

  SERVICE_DB_URL: secret(databaseUrl.optional(), "PostgreSQL 18. Standalone without it starts its own."),
  SERVICE_AUTH_DB_URL: secret(databaseUrl.optional(), "PostgreSQL of the auth service. Default: SERVICE_DB_URL."),
  SERVICE_INGEST_DB_URL: secret(databaseUrl.optional(), "PostgreSQL of the ingest service. Default: SERVICE_DB_URL."),
  SERVICE_EVAL_RUNS_DB_URL: secret(
    databaseUrl.optional(),
    "PostgreSQL of the eval-runs service. Default: SERVICE_DB_URL.",
  ),
  SERVICE_JUDGE_DB_URL: secret(databaseUrl.optional(), "PostgreSQL of the judge service. Default: SERVICE_DB_URL."),
  SERVICE_MONITOR_DB_URL: secret(databaseUrl.optional(), "PostgreSQL of the monitor service. Default: SERVICE_DB_URL."),
  SERVICE_DB_PASSWORD: secret(
    z.string().optional(),
    "Password for a PostgreSQL URL that contains none, so that the URL need not be secret. A URL with a password is then a mistake.",
  ),
  SERVICE_MIGRATE: setting(
    z.enum(["on", "off"], { error: 'must be "on" or "off"' }).default("on"),
    "off: the service does not migrate its schema at start. It is not ready until `node services/<name>/src/main.ts migrate` has run.",
  ),
  SERVICE_NATS_URL: setting(
    natsUrls.optional(),
    "nats-server 2.12 or newer with JetStream; the servers of a cluster are separated by commas. Standalone without it starts its own.",
  ),
  SERVICE_NATS_USER: setting(z.string().optional(), "User of this service on the bus."),
  SERVICE_NATS_PASSWORD: secret(z.string().optional(), "Password of that user."),
  SERVICE_NATS_CA: setting(
    z.string().optional(),
    "File with the certificate authorities (PEM) that may sign a NATS server's certificate. Setting it requires TLS. Default: the system's.",
  ),
  SERVICE_NATS_CERT: setting(
    z.string().optional(),
    "File with this service's client certificate (PEM), for a NATS that verifies its clients. It is read at each connection, so a renewed one needs no restart.",
  ),
  SERVICE_NATS_KEY: setting(z.string().optional(), "File with the key (PEM) of that certificate."),
  SERVICE_NATS_REPLICAS: setting(
    z.enum(["1", "3", "5"], { error: "must be 1, 3 or 5" }).default("1").transform(Number),
    "Copies of each stream in a NATS cluster, when a service creates the stream. See docs/operating/nats-cluster.md for streams that exist.",
  ),
  SERVICE_REDIS_URL: secret(
    redisUrl.optional(),
    "Redis through which several gateways share rate limits: redis://, with TLS rediss://. With sentinels redis+sentinel://host:26379,host:26379/name or rediss+sentinel://, where name is that of the master. Without it each gateway counts for itself.",
  ),
  SERVICE_REDIS_PASSWORD: secret(
    z.string().optional(),
    "Password for a Redis URL that contains none. A URL with a password is then a mistake.",
  ),
  SERVICE_REDIS_SENTINEL_PASSWORD: secret(z.string().optional(), "Password of the sentinels, if they have one."),
  SERVICE_REDIS_CA: setting(
    z.string().optional(),
    "File with the certificate authorities (PEM) that may sign a Redis server's certificate. It needs a URL with rediss. Default: the system's.",
  ),
  SERVICE_REDIS_CERT: setting(
    z.string().optional(),
    "File with the gateway's client certificate (PEM), for a Redis that verifies its clients. It is read at each connection, so a renewed one needs no restart.",
  ),
  SERVICE_REDIS_KEY: setting(z.string().optional(), "File with the key (PEM) of that certificate."),

  SERVICE_INTERNAL_SECRET: secret(
    z.string().min(32, { error: "must have at least 32 characters" }).optional(),
    "Root secret of the installation: internal identities, key look-up and key encryption derive from it.",
  ),
  SERVICE_AUTH_URL: setting(urlList.optional(), "Addresses of the auth service."),
  SERVICE_INGEST_URL: setting(urlList.optional(), "Addresses of the ingest service."),
  SERVICE_EVAL_RUNS_URL: setting(urlList.optional(), "Addresses of the eval-runs service."),
  SERVICE_MONITOR_URL: setting(urlList.optional(), "Addresses of the monitor service."),
  SERVICE_DROPIN_URL: setting(
    urlList.optional(),
    "Addresses of the dropin service. Without it, the paths of other systems' clients answer 503.",
  ),

  SERVICE_RATE_LIMIT: setting(z.enum(["on", "off"]).default("on"), "off disables every rate limit."),
  SERVICE_RATE_LIMIT_CREDENTIAL: setting(
    limit.default(120),
    "Requests per minute and client address on credential routes.",
  ),
  SERVICE_RATE_LIMIT_DATA_PLANE: setting(
    limit.default(6000),
    "Requests per minute and client address on all other routes.",
  ),
  SERVICE_RATE_LIMIT_PER_KEY: setting(
    z.enum(["on", "off"]).default("off"),
    "on applies the documented limits per key: 300 ingest, 60 CI, 60 evaluation requests per minute.",
  ),
  SERVICE_RATE_LIMIT_KEY_INGEST: setting(
    limit.optional(),
    "Limit per key and minute on POSTs of traces, span updates, scores and media, together.",
  ),
  SERVICE_RATE_LIMIT_KEY_CI: setting(limit.optional(), "Limit per key and minute on /ingest/ci-runs."),
  SERVICE_RATE_LIMIT_KEY_EVAL: setting(limit.optional(), "Limit per key and minute on /custom-agent-evaluations."),
  SERVICE_METRICS_TOKEN: secret(
    z.string().optional(),
    "Bearer token for /metrics. Without one /metrics is open, except in multi-tenant mode.",
  ),
  SERVICE_ADMIN_TOKEN: secret(
    z.string().optional(),
    "Value of x-admin-token for /api/v1/admin/overview, /system and /audit. Without it they answer 404.",
  ),

  SERVICE_INGEST_QUEUE_MAX: setting(
    positiveInteger.default(10_000),
    "Spans of one project that may wait for a commit; more is answered 429. All projects together may use 1.5 times as many.",
  ),
  SERVICE_INGEST_FLUSH_SIZE: setting(positiveInteger.default(256), "Most spans in one commit."),
  SERVICE_INGEST_MAX_FIELD_CHARS: setting(
    positiveInteger.min(1000).optional(),
    "Longest stored text of one field (never metadata). Unlimited when unset.",
  ),
  SERVICE_OTLP_MAX_BODY_BYTES: setting(
    positiveInteger.default(64 * 1024 * 1024),
    "Largest OTLP export, on the wire and inflated.",
  ),
  SERVICE_OTLP_GENAI_ONLY: setting(
    flag.default(false),
    "Ignore OTel traces if no span of their export names a model, an agent or a tool.",
  ),
  SERVICE_OTLP_HTTP_PORT: setting(
    port.optional(),
    "Port on which the gateway also accepts OTLP/HTTP on the standard paths /v1/traces, /v1/logs and /v1/metrics; 4318 is usual. Off when unset.",
  ),
  SERVICE_OTLP_GRPC_PORT: setting(
    port.optional(),
    "Port on which the gateway accepts OTLP/gRPC, without TLS; 4317 is usual. Off when unset.",
  ),

  SERVICE_QUOTA_TRACES_PER_DAY: setting(
    limit.optional(),
    "Root traces each project may store per UTC day; more is answered 429. Unlimited when unset.",
  ),
  SERVICE_RETENTION_DAYS: setting(
    days.optional(),
    "Days that traces are kept, by their own time, in projects without their own setting. Kept without limit when unset or not above 0.",
  ),

  SERVICE_ALLOW_PRIVATE_WEBHOOKS: setting(
    flag.optional(),
    "Whether addresses that users enter may point into the installation's own network. Default: true, and false in multi-tenant mode.",
  ),
  SERVICE_WEBHOOK_SECRET: secret(
    z.string().min(24, { error: "must have at least 24 characters" }).optional(),
    "Secret that signs messages to the webhook channels of monitoring profiles: whsec_ and base64, or any text. They are unsigned when unset.",
  ),
  SERVICE_OTLP_EXPORT_ENDPOINT: setting(
    issuer.optional(),
    "OpenTelemetry collector to which every verdict is sent as a log record; /v1/logs is added unless the path ends with it. For monitor and eval-runs. Nothing is sent when unset.",
  ),
  SERVICE_OTLP_EXPORT_HEADERS: secret(
    headerList.optional(),
    "Headers of these requests: name=value, several separated by commas, values percent-encoded.",
  ),
  SERVICE_QUOTA_JUDGE_CALLS_PER_DAY: setting(
    limit.optional(),
    "Judge calls the installation may make per UTC day, retries included; results beyond it are skipped, with the reason. Unlimited when unset.",
  ),

  SERVICE_VERDICT_RECORD_DAYS: setting(
    z.coerce.number({ error: "must be a whole number of days" }).int().min(1).max(36_500).default(30),
    "Days that the records behind verdicts are kept: the exact prompt and reply of a judge. Ratings and justifications are kept longer.",
  ),
  SERVICE_QUOTA_ONLINE_JUDGE_CALLS_PER_DAY: setting(
    limit.optional(),
    "Judge calls that live scorers may make per project and UTC day; live checks beyond it are skipped and logged. Unlimited when unset.",
  ),
  SERVICE_SESSION_SWEEP: setting(
    flag.default(true),
    "Whether live scorers of sessions judge sessions that became idle.",
  ),

  SERVICE_OTEL_MONITOR: setting(flag.default(true), "Whether patterns are applied to traces that came over OTLP."),
  SERVICE_MONITOR_CHILD_SPANS: setting(
    flag.default(false),
    "Whether patterns, live judges, scorer groups and custom scorers also check each child span. Every child span then costs its own checks.",
  ),

  SERVICE_RUN_ABANDON_HOURS: setting(
    z.coerce.number({ error: "must be a number of hours" }).min(0).max(8_760).default(24),
    "An evaluation run without a new result for this many hours ends as failed. 0 keeps it open.",
  ),

  OPENAI_API_KEY: secret(
    z.string().optional(),
    "Key of the judge's provider. Without one, and without a base URL, results are skipped.",
  ),
  OPENAI_BASE_URL: setting(
    url("http:", "https:").optional(),
    "An OpenAI-compatible endpoint for judges. Without a Gemini and an Anthropic key, it is used for every model.",
  ),
  GEMINI_API_KEY: secret(z.string().optional(), "Key for judge models whose id starts with gemini-."),
  GEMINI_BASE_URL: setting(
    url("http:", "https:").optional(),
    "A proxy of Google's OpenAI-compatible endpoint, version path included. Default: https://generativelanguage.googleapis.com/v1beta/openai/.",
  ),
  ANTHROPIC_API_KEY: secret(z.string().optional(), "Key for judge models whose id starts with claude-."),
  ANTHROPIC_BASE_URL: setting(
    url("http:", "https:").optional(),
    "A proxy of Anthropic's OpenAI-compatible endpoint, version path included. Default: https://api.anthropic.com/v1/.",
  ),
  SERVICE_DEFAULT_JUDGE_MODEL: setting(z.string().default("gpt-5.6-luna"), "Judge model for rubrics that name none."),
  SERVICE_JUDGE_API: setting(
    z.enum(["responses", "chat"]).optional(),
    "Wire API of OPENAI_BASE_URL. Default: responses at OpenAI, chat at a custom base URL. Gemini and Anthropic always use chat.",
  ),
  SERVICE_JUDGE_TIMEOUT_MS: setting(positiveInteger.max(60_000).default(60_000), "Deadline of one judge call."),
  SERVICE_JUDGE_RETRIES: setting(
    z.coerce.number().int().min(0).max(10).default(2),
    "Retries of a judge call after a temporary failure.",
  ),
  SERVICE_JUDGE_CONCURRENCY: setting(
    positiveInteger.default(16),
    "Concurrent judge calls, per provider and judge process.",
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** A secret prints as `[secret]` everywhere; `reveal()` is the only way to its text. */
export class Secret {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  reveal(): string {
    return this.#text;
  }
  toString(): string {
    return "[secret]";
  }
  toJSON(): string {
    return "[secret]";
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }
}

type Wrapped<Value> = Value extends string ? Secret : Value;

/** The read values of the named settings; secrets are wrapped in {@link Secret}. */
export type SettingValues<Name extends SettingName> = {
  [Key in Name]: (typeof settings)[Key] extends Setting<infer Schema, true>
    ? Wrapped<z.output<Schema>>
    : z.output<(typeof settings)[Key]["schema"]>;
};

/** Names that belong to clients of this system: in the environment they are neither read nor warned about. */
export const clientSettings: readonly string[] = ["SERVICE_API_KEY"];

/**
 * Names in the specification that this version does not support yet. Setting one refuses the start: an operator who
 * asks for a quota must not get a system that silently has none.
 */
export const unsupportedSettings: readonly string[] = ["SERVICE_IMPROVEMENT_SWEEP"];
