import type { Secret } from "@touchstone/contracts";
import { type Environment, loadSettings, requireSettings } from "@touchstone/service-kit";
import { defaultTimings, type Timings } from "./timings.ts";

export interface EvalRunsConfig {
  listen: { host: string; port: number };
  logLevel: string;
  databaseUrl: string;
  rootSecret: string;
  nats: { url: string; user: string | undefined; password: Secret | undefined };
  timings: Timings;
}

/** Reads the settings of eval-runs; every mistake is reported at once, by variable name. */
export function readEvalRunsConfig(environment: Environment): { config: EvalRunsConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(
    [
      "PORT",
      "SERVICE_HOST",
      "SERVICE_LOG_LEVEL",
      "SERVICE_DB_URL",
      "SERVICE_EVAL_RUNS_DB_URL",
      "SERVICE_NATS_URL",
      "SERVICE_NATS_USER",
      "SERVICE_NATS_PASSWORD",
      "SERVICE_INTERNAL_SECRET",
    ],
    environment,
  );
  const { databaseUrl, natsUrl, rootSecret } = requireSettings({
    databaseUrl: [
      values.SERVICE_EVAL_RUNS_DB_URL ?? values.SERVICE_DB_URL,
      "SERVICE_EVAL_RUNS_DB_URL or SERVICE_DB_URL",
    ],
    natsUrl: [values.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
  });
  return {
    config: {
      listen: { host: values.SERVICE_HOST, port: values.PORT },
      logLevel: values.SERVICE_LOG_LEVEL,
      databaseUrl: databaseUrl.reveal(),
      rootSecret: rootSecret.reveal(),
      nats: { url: natsUrl, user: values.SERVICE_NATS_USER, password: values.SERVICE_NATS_PASSWORD },
      timings: defaultTimings,
    },
    warnings,
  };
}
