import type { SettingName, SettingValues } from "@touchstone/contracts";
import type { TracingConfig } from "./tracing.ts";

/** The configuration of every process, whatever it serves. */
export interface ProcessConfig {
  listen: { host: string; port: number };
  logLevel: string;
  /** How long a stop may take; a stop that hangs is then ended with exit code 1 (completions 1.1). */
  stopWithinMs: number;
  /** The part of it for open requests; the rest is for their follow-up work. */
  drainMs: number;
  /** How long the event loop may be blocked before the process is ended; null: no limit. */
  stallAfterMs: number | null;
  /** Null: requests are not traced. */
  tracing: TracingConfig | null;
}

/** The settings of {@link readProcessConfig}. */
export const processSettings = [
  "PORT",
  "SERVICE_HOST",
  "SERVICE_LOG_LEVEL",
  "SERVICE_STOP_SECONDS",
  "SERVICE_STALL_SECONDS",
  "SERVICE_TRACING_OTLP_ENDPOINT",
  "SERVICE_TRACING_OTLP_HEADERS",
  "SERVICE_TRACING_RATIO",
] as const satisfies SettingName[];

type Values = SettingValues<(typeof processSettings)[number]>;

/**
 * Reads the configuration of a process. `followUpMaxMs` is the most of a stop that is kept for the follow-up work of its last
 * requests. By default a stop is longer than the longest OTLP export, and than most scoring calls.
 */
export function readProcessConfig(
  values: Values,
  { stopDefaultSeconds = 30, followUpMaxMs = 5_000 } = {},
): ProcessConfig {
  const stopWithinMs = (values.SERVICE_STOP_SECONDS ?? stopDefaultSeconds) * 1000;
  return {
    listen: { host: values.SERVICE_HOST, port: values.PORT },
    logLevel: values.SERVICE_LOG_LEVEL,
    stopWithinMs,
    drainMs: stopWithinMs - Math.min(followUpMaxMs, stopWithinMs / 2),
    stallAfterMs: values.SERVICE_STALL_SECONDS === 0 ? null : values.SERVICE_STALL_SECONDS * 1000,
    tracing: readTracing(values),
  };
}

function readTracing(values: Values): TracingConfig | null {
  const { SERVICE_TRACING_OTLP_ENDPOINT: endpoint, SERVICE_TRACING_OTLP_HEADERS: headers } = values;
  if (endpoint === undefined) return null;
  return { endpoint, headers: headers ?? null, ratio: values.SERVICE_TRACING_RATIO };
}
