import { changedMonitoringDefaults, type MonitoringDefaults } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

const rules: Readonly<Record<keyof MonitoringDefaults, string>> = {
  coverageMode: "one of: all, sampled",
  sampleRate: "a number between 0 and 1",
  retentionDays: "a whole number of days",
  latencyThresholdMs: "a number of milliseconds above 0",
  topicsEnabled: "a boolean",
  topicsSampleRate: "a number between 0 and 1",
  coherenceSweepEnabled: "a boolean",
  enabledBuiltinPatterns: "an array of keys of built-in patterns",
};

/** What a project's defaults become: what was sent, else what is stored. Throws `bad_request` (completions 9.2). */
export function composeDefaults(
  sent: Readonly<Record<string, unknown>>,
  stored: MonitoringDefaults,
  builtinKeys: readonly string[],
): MonitoringDefaults {
  const read = changedMonitoringDefaults.safeParse(sent);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]) as keyof MonitoringDefaults;
    throw new AppError("bad_request", `${member} must be ${rules[member]}`, { cause: read.error });
  }
  const unknown = read.data.enabledBuiltinPatterns?.find((key) => !builtinKeys.includes(key));
  if (unknown !== undefined) {
    throw new AppError("bad_request", `enabledBuiltinPatterns must be of: ${builtinKeys.join(", ")}`);
  }
  const changes = Object.fromEntries(Object.entries(read.data).filter(([, value]) => value !== undefined));
  return { ...stored, ...changes };
}
