import type { SettingName } from "@touchstone/contracts";
import {
  type Environment,
  loadSettings,
  readStallLimitMs,
  readTracing,
  requireSettings,
  type TracingConfig,
  tracingSettings,
} from "@touchstone/service-kit";

export interface DropinConfig {
  listen: { host: string; port: number };
  logLevel: string;
  rootSecret: string;
  authAddresses: readonly string[];
  ingestAddresses: readonly string[];
  evalRunsAddresses: readonly string[];
  monitorAddresses: readonly string[];
  /** How long a stop may take. */
  stopWithinMs: number;
  /** The part of it for open requests. */
  drainMs: number;
  /** How long the event loop may be blocked before the process is ended; null: no limit. */
  stallAfterMs: number | null;
  /** Null or absent: requests are not traced. */
  tracing?: TracingConfig | null | undefined;
}

/** As that of the services it asks. */
const stopDefaultSeconds = 30;

const dropinSettings = [
  "PORT",
  "SERVICE_HOST",
  "SERVICE_LOG_LEVEL",
  "SERVICE_INTERNAL_SECRET",
  "SERVICE_AUTH_URL",
  "SERVICE_INGEST_URL",
  "SERVICE_EVAL_RUNS_URL",
  "SERVICE_MONITOR_URL",
  "SERVICE_STOP_SECONDS",
  "SERVICE_STALL_SECONDS",
  ...tracingSettings,
] as const satisfies SettingName[];

/** Reads dropin's settings; reports every mistake, by variable name. */
export function readDropinConfig(environment: Environment): { config: DropinConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(dropinSettings, environment);
  const { rootSecret, auth, ingest, evalRuns, monitor } = requireSettings({
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
    auth: [values.SERVICE_AUTH_URL, "SERVICE_AUTH_URL"],
    ingest: [values.SERVICE_INGEST_URL, "SERVICE_INGEST_URL"],
    evalRuns: [values.SERVICE_EVAL_RUNS_URL, "SERVICE_EVAL_RUNS_URL"],
    monitor: [values.SERVICE_MONITOR_URL, "SERVICE_MONITOR_URL"],
  });
  const stopWithinMs = (values.SERVICE_STOP_SECONDS ?? stopDefaultSeconds) * 1000;
  return {
    config: {
      listen: { host: values.SERVICE_HOST, port: values.PORT },
      logLevel: values.SERVICE_LOG_LEVEL,
      rootSecret: rootSecret.reveal(),
      authAddresses: auth,
      ingestAddresses: ingest,
      evalRunsAddresses: evalRuns,
      monitorAddresses: monitor,
      stopWithinMs,
      drainMs: stopWithinMs - Math.min(5_000, stopWithinMs / 2),
      stallAfterMs: readStallLimitMs(values.SERVICE_STALL_SECONDS),
      tracing: readTracing(values),
    },
    warnings,
  };
}
