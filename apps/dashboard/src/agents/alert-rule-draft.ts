import type { Severity } from "../blocks/severities.ts";
import type { AlertRule } from "../blocks/watching-queries.ts";
import { formatCount, formatDuration, formatRating, formatShare } from "../ui/format.ts";
import { formatMinutes } from "./rules.ts";

export type AlertMetric = AlertRule["metric"];

interface Metric {
  label: string;
  /** The unit of the number in the form. */
  unit: "percent" | "seconds" | "rating" | "count";
  hint: string;
}

export const metrics: Record<AlertMetric, Metric> = {
  failureRate: {
    label: "Failing traces",
    unit: "percent",
    hint: "Of all: an error, a failed tool, an empty answer, a finding.",
  },
  toolFailureRate: { label: "Traces with a failed tool", unit: "percent", hint: "Of those that called tools." },
  downvoteRate: { label: "Traces voted down", unit: "percent", hint: "Of all, by the newest vote." },
  p95LatencyMs: { label: "Latency, p95", unit: "seconds", hint: "95 of 100 traces are quicker." },
  meanRating: { label: "Mean rating", unit: "rating", hint: "Of live judges and groups, from 0 to 10." },
  errorCount: { label: "Traces with an error", unit: "count", hint: "" },
  traceCount: { label: "Traces", unit: "count", hint: "Below 1 tells that an agent is silent." },
};

export const unitWords: Record<Metric["unit"], string> = {
  percent: "%",
  seconds: "s",
  rating: "of 10",
  count: "traces",
};

const factors: Record<Metric["unit"], number> = { percent: 0.01, seconds: 1_000, rating: 1, count: 1 };

/** A rule in the form; numbers as they are typed. */
export interface AlertRuleDraft {
  name: string;
  metric: AlertMetric;
  comparison: AlertRule["comparison"];
  /** In the unit of the metric. */
  threshold: string;
  windowMinutes: string;
  cooldownMinutes: string;
  minSamples: string;
  agentId: string | null;
  severity: Severity;
  enabled: boolean;
}

export const emptyRule: AlertRuleDraft = {
  name: "",
  metric: "failureRate",
  comparison: "above",
  threshold: "10",
  windowMinutes: "60",
  cooldownMinutes: "60",
  minSamples: "10",
  agentId: null,
  severity: "medium",
  enabled: true,
};

export function draftOfRule(rule: AlertRule): AlertRuleDraft {
  const { name, metric, comparison, agentId, severity, enabled } = rule;
  return {
    name,
    metric,
    comparison,
    agentId,
    severity,
    enabled,
    // 0.07 / 0.01 is 7.000000000000001.
    threshold: String(Number((rule.threshold / factors[metrics[metric].unit]).toPrecision(12))),
    windowMinutes: String(rule.windowMinutes),
    cooldownMinutes: String(rule.cooldownMinutes),
    minSamples: String(rule.minSamples),
  };
}

export function bodyOfRule({
  threshold,
  metric,
  windowMinutes,
  cooldownMinutes,
  minSamples,
  ...plain
}: AlertRuleDraft) {
  return {
    ...plain,
    name: plain.name.trim(),
    metric,
    threshold: Number((Number(threshold) * factors[metrics[metric].unit]).toPrecision(12)),
    windowMinutes: Number(windowMinutes),
    cooldownMinutes: Number(cooldownMinutes),
    minSamples: Number(minSamples),
  };
}

/** The missing fields for saving, as text. */
export function missingOfRule(draft: AlertRuleDraft): string | undefined {
  return draft.name.trim() === "" ? "Give it a name." : missingOfTrial(draft);
}

/** The missing fields for a trial, which needs no name. */
export function missingOfTrial(draft: AlertRuleDraft): string | undefined {
  const numbers = [draft.threshold, draft.windowMinutes, draft.cooldownMinutes, draft.minSamples];
  return numbers.some((typed) => typed.trim() === "" || Number.isNaN(Number(typed)))
    ? "A number is missing."
    : undefined;
}

const formats: Record<Metric["unit"], (value: number) => string> = {
  percent: (share) => formatShare(share, share * 100 === Math.round(share * 100) ? 0 : 1),
  seconds: formatDuration,
  rating: formatRating,
  count: formatCount,
};

/** A measured value, in the unit of its metric. */
export const formatValue = (metric: AlertMetric, value: number): string => formats[metrics[metric].unit](value);

/** `Failing traces above 15% within 24 h`: a rule in words. */
export function describeRule({
  metric,
  comparison,
  threshold,
  windowMinutes,
}: Pick<AlertRule, "metric" | "comparison" | "threshold" | "windowMinutes">): string {
  return `${metrics[metric].label} ${comparison} ${formatValue(metric, threshold)} within ${formatMinutes(windowMinutes)}`;
}
