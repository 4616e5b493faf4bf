import type { Secret } from "@touchstone/contracts";
import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";
import { type Collector, logsUrlOf } from "./model/collector-address.ts";
import type { PublicAddress } from "./webhooks/public-address.ts";

export interface MonitorConfig extends StoreServiceConfig {
  /** Where ingest is found. */
  ingestAddresses: readonly string[];
  /** Live judge calls of a project per UTC day; null: unlimited. */
  liveCallsPerDay: number | null;
  /** Whether traces that came over OTLP are looked through for patterns. */
  watchesOtlp: boolean;
  /** Whether idle sessions are judged without being asked for. */
  sweepsSessions: boolean;
  /** What links in messages lead to; null: unknown. */
  publicAddress: PublicAddress | null;
  /** Whether webhooks may lead into the installation's own network. */
  allowsPrivateHosts: boolean;
  /** What messages to channels of profiles are signed with; null: nothing. */
  webhookSecret: Secret | null;
  /** Where verdicts are exported to; null: nowhere. */
  collector: Collector | null;
}

/** Reads monitor's settings; every mistake is reported at once, by variable name. */
export function readMonitorConfig(environment: Environment): { config: MonitorConfig; warnings: string[] } {
  const { config, values, warnings } = readStoreServiceConfig(environment, {
    database: "SERVICE_MONITOR_DB_URL",
    more: [
      "SERVICE_QUOTA_ONLINE_JUDGE_CALLS_PER_DAY",
      "SERVICE_OTEL_MONITOR",
      "SERVICE_SESSION_SWEEP",
      "SERVICE_PUBLIC_URL",
      "SERVICE_DASHBOARD",
      "SERVICE_MULTI_TENANT",
      "SERVICE_ALLOW_PRIVATE_WEBHOOKS",
      "SERVICE_WEBHOOK_SECRET",
      "SERVICE_OTLP_EXPORT_ENDPOINT",
      "SERVICE_OTLP_EXPORT_HEADERS",
    ],
    needed: ["SERVICE_INGEST_URL"],
  });
  return {
    config: {
      ...config,
      ingestAddresses: values.SERVICE_INGEST_URL,
      liveCallsPerDay: values.SERVICE_QUOTA_ONLINE_JUDGE_CALLS_PER_DAY ?? null,
      watchesOtlp: values.SERVICE_OTEL_MONITOR,
      sweepsSessions: values.SERVICE_SESSION_SWEEP,
      publicAddress:
        values.SERVICE_PUBLIC_URL === undefined
          ? null
          : {
              url: values.SERVICE_PUBLIC_URL.replace(/(?<!\/)\/+$/, ""),
              hasDashboard: values.SERVICE_DASHBOARD === "on",
            },
      allowsPrivateHosts: values.SERVICE_ALLOW_PRIVATE_WEBHOOKS ?? !values.SERVICE_MULTI_TENANT,
      webhookSecret: values.SERVICE_WEBHOOK_SECRET ?? null,
      collector:
        values.SERVICE_OTLP_EXPORT_ENDPOINT === undefined
          ? null
          : {
              url: logsUrlOf(values.SERVICE_OTLP_EXPORT_ENDPOINT),
              headers: values.SERVICE_OTLP_EXPORT_HEADERS ?? null,
            },
    },
    warnings,
  };
}
