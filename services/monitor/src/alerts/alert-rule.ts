import type { AlertMetric, changedAlertRule } from "@touchstone/contracts";
import type { Parsed } from "@touchstone/service-kit";
import type { z } from "zod";
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

/** What a rule becomes: what was sent, else what is stored, else the default. A new one is sent its required members. */
export function composeAlertRule(
  sent: Parsed<z.output<typeof changedAlertRule>>,
  stored: AlertRuleDocument | null,
): AlertRuleDocument {
  return { ...defaults, ...stored, ...sent } as AlertRuleDocument;
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
