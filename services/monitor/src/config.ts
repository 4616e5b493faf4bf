import type { Secret } from "@touchstone/contracts";
import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";
import { type Collector, logsUrlOf } from "./model/collector-address.ts";
import type { PublicAddress } from "./webhooks/public-address.ts";

export interface MonitorConfig extends StoreServiceConfig {
  /** Addresses of ingest. */
  ingestAddresses: readonly string[];
  /** Live judge calls of a project per UTC day; null: unlimited. */
  liveCallsPerDay: number | null;
  /** Traces that arrived over OTLP are searched for patterns. */
  watchesOtlp: boolean;
  /** Idle sessions are judged automatically. */
  sweepsSessions: boolean;
  /** The base of links in messages; null: unknown. */
  publicAddress: PublicAddress | null;
  /** Webhooks may call addresses in the installation's own network. */
  allowsPrivateHosts: boolean;
  /** Signs messages to channels of profiles; null: unsigned. */
  webhookSecret: Secret | null;
  /** The receiver of exported verdicts; null: none. */
  collector: Collector | null;
}

/** Reads monitor's settings; all errors are reported at once, by variable name. */
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
