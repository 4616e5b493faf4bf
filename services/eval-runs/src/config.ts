import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";
import { defaultTimings, type Timings } from "./timings.ts";

export interface EvalRunsConfig extends StoreServiceConfig {
  /** Addresses of ingest. */
  ingestAddresses: readonly string[];
  timings: Timings;
  /** A run without a new result for this time is ended as failed; null = never. */
  runIdleMs: number | null;
  /** Verdicts on recorded traces are exported: the exporter receives them. */
  exportsVerdicts: boolean;
}

/** Reads the settings of eval-runs; all errors are reported at once, by variable name. */
export function readEvalRunsConfig(environment: Environment): { config: EvalRunsConfig; warnings: string[] } {
  const { config, values, warnings } = readStoreServiceConfig(environment, {
    database: "SERVICE_EVAL_RUNS_DB_URL",
    needed: ["SERVICE_INGEST_URL"],
    more: ["SERVICE_RUN_ABANDON_HOURS", "SERVICE_OTLP_EXPORT_ENDPOINT"],
  });
  const hours = values.SERVICE_RUN_ABANDON_HOURS;
  return {
    config: {
      ...config,
      ingestAddresses: values.SERVICE_INGEST_URL,
      timings: defaultTimings,
      runIdleMs: hours === 0 ? null : hours * 3_600_000,
      exportsVerdicts: values.SERVICE_OTLP_EXPORT_ENDPOINT !== undefined,
    },
    warnings,
  };
}
