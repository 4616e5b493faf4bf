import type { SettingName } from "@touchstone/contracts";
import {
  type Environment,
  loadSettings,
  type ProcessConfig,
  processSettings,
  readProcessConfig,
  requireSettings,
} from "@touchstone/service-kit";

export interface DropinConfig extends ProcessConfig {
  rootSecret: string;
  authAddresses: readonly string[];
  ingestAddresses: readonly string[];
  evalRunsAddresses: readonly string[];
  monitorAddresses: readonly string[];
}

const dropinSettings = [
  ...processSettings,
  "SERVICE_INTERNAL_SECRET",
  "SERVICE_AUTH_URL",
  "SERVICE_INGEST_URL",
  "SERVICE_EVAL_RUNS_URL",
  "SERVICE_MONITOR_URL",
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
  return {
    config: {
      ...readProcessConfig(values),
      rootSecret: rootSecret.reveal(),
      authAddresses: auth,
      ingestAddresses: ingest,
      evalRunsAddresses: evalRuns,
      monitorAddresses: monitor,
    },
    warnings,
  };
}
