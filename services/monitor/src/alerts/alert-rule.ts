import type { AlertMetric, changedAlertRule } from "@touchstone/contracts";
import type { Parsed } from "@touchstone/service-kit";
import type { z } from "zod";
import type { Severity } from "../model/finding.ts";

/** The condition of an alert rule, and the resulting signal (completions 10). */
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
  /** A rule that fired does not fire again for this time. */
  cooldownMinutes: number;
  /** With fewer traces or ratings the rule does not decide. */
  minSamples: number;
}

export interface StoredAlertRule {
  id: string;
  document: AlertRuleDocument;
  lastFiredAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The measured value, null without data, and the number of traces or ratings. */
export interface Measurement {
  value: number | null;
  samples: number;
}

/**
 * The new content of a rule: sent members, else stored ones, else defaults. A new rule must include the required members.
 */
export function composeAlertRule(
  sent: Parsed<z.output<typeof changedAlertRule>>,
  stored: AlertRuleDocument | null,
): AlertRuleDocument {
  return { ...defaults, ...stored, ...sent } as AlertRuleDocument;
}

const defaults = { agentId: null, severity: "medium", enabled: true, cooldownMinutes: 60, minSamples: 10 } as const;

/** Counts: 0 is a valid measurement, and a rule may be about a single occurrence. */
const counts: ReadonlySet<AlertMetric> = new Set(["errorCount", "traceCount"]);

/** True if there is enough data to decide. */
export function isDecided({ metric, minSamples }: AlertRuleDocument, { value, samples }: Measurement): boolean {
  return value !== null && (counts.has(metric) || samples >= minSamples);
}

/** True if the rule is violated. A value equal to the threshold does not violate it. */
export function isCrossed(rule: AlertRuleDocument, measured: Measurement): boolean {
  const { value } = measured;
  if (value === null || !isDecided(rule, measured)) return false;
  return rule.comparison === "above" ? value > rule.threshold : value < rule.threshold;
}

/** The measurement of an empty window. */
export function measuredNothing({ metric }: AlertRuleDocument): Measurement {
  return { value: counts.has(metric) ? 0 : null, samples: 0 };
}
