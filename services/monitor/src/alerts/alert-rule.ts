import { type AlertMetric, changedAlertRule, submittedAlertRule } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";
import type { Severity } from "../model/finding.ts";

/** What traffic is compared with, and what follows (completions 10). */
export interface AlertRuleDocument {
  name: string;
  metric: AlertMetric;
  comparison: "above" | "below";
  threshold: number;
  windowMinutes: number;
  /** Null: all agents together. */
  agentId: string | null;
  severity: Severity;
  enabled: boolean;
  /** A rule that fired is silent for so long. */
  cooldownMinutes: number;
  /** Fewer traces or ratings decide nothing. */
  minSamples: number;
}

export interface StoredAlertRule {
  id: string;
  document: AlertRuleDocument;
  lastFiredAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What was measured: null where nothing was there to measure; of how many traces or ratings. */
export interface Measurement {
  value: number | null;
  samples: number;
}

const rules: Readonly<Record<keyof AlertRuleDocument, string>> = {
  name: "name must be a string of at most 200 characters",
  metric: `metric must be one of: ${submittedAlertRule.shape.metric.options.join(", ")}`,
  comparison: "comparison must be one of: above, below",
  threshold: "threshold must be a number",
  windowMinutes: "windowMinutes must be a whole number between 1 and 1440",
  agentId: "agentId must be the id of an agent",
  severity: "severity must be one of: low, medium, high, critical",
  enabled: "enabled must be a boolean",
  cooldownMinutes: "cooldownMinutes must be a whole number between 1 and 10080",
  minSamples: "minSamples must be a whole number between 1 and 10000",
};

/**
 * What a rule becomes: what was sent, else what is stored, else the default. Throws `bad_request` for the first mistake.
 */
export function composeAlertRule(
  sent: Readonly<Record<string, unknown>>,
  stored: AlertRuleDocument | null,
): AlertRuleDocument {
  if (stored === null) {
    for (const member of ["name", "metric", "comparison", "threshold", "windowMinutes"] as const) {
      if (sent[member] === undefined || sent[member] === null || sent[member] === "") {
        throw new AppError("bad_request", `${member} is required`);
      }
    }
  }
  const read = changedAlertRule.safeParse(sent);
  if (!read.success) {
    const member = String(read.error.issues[0]?.path[0]) as keyof AlertRuleDocument;
    throw new AppError("bad_request", rules[member] ?? `${member} cannot be taken`, { cause: read.error });
  }
  const { name } = read.data;
  if (name !== undefined && (name.trim() === "" || !name.isWellFormed() || name.includes("\0"))) {
    throw new AppError("bad_request", rules.name);
  }
  const changes = Object.fromEntries(Object.entries(read.data).filter(([, value]) => value !== undefined));
  return { ...defaults, ...stored, ...changes } as AlertRuleDocument;
}

const defaults = { agentId: null, severity: "medium", enabled: true, cooldownMinutes: 60, minSamples: 10 } as const;

/** Numbers of things: none is a number too, and one may be what somebody waits for. */
const counts: ReadonlySet<AlertMetric> = new Set(["errorCount", "traceCount"]);

/** Whether there is enough to decide on. */
export function isDecided({ metric, minSamples }: AlertRuleDocument, { value, samples }: Measurement): boolean {
  return value !== null && (counts.has(metric) || samples >= minSamples);
}

/** Whether a rule is broken. Exactly at the threshold it is not. */
export function isCrossed(rule: AlertRuleDocument, measured: Measurement): boolean {
  const { value } = measured;
  if (value === null || !isDecided(rule, measured)) return false;
  return rule.comparison === "above" ? value > rule.threshold : value < rule.threshold;
}

/** What is measured where nothing happened. */
export function measuredNothing({ metric }: AlertRuleDocument): Measurement {
  return { value: counts.has(metric) ? 0 : null, samples: 0 };
}
