import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";
import { defaultTimings, type Timings } from "./timings.ts";

export interface EvalRunsConfig extends StoreServiceConfig {
  timings: Timings;
}

/** Reads the settings of eval-runs; every mistake is reported at once, by variable name. */
export function readEvalRunsConfig(environment: Environment): { config: EvalRunsConfig; warnings: string[] } {
  const { config, warnings } = readStoreServiceConfig(environment, { database: "SERVICE_EVAL_RUNS_DB_URL" });
  return { config: { ...config, timings: defaultTimings }, warnings };
}
