import type { AlertMetric } from "@touchstone/contracts";
import type { AlertRuleDocument, Measurement } from "./alert-rule.ts";

interface Words {
  /** Contains the value. */
  tell(value: string): string;
  format(value: number): string;
  samples: "trace" | "rating";
}

const percent = (share: number): string => `${rounded(share * 100, 1)}%`;
const milliseconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${rounded(ms / 1_000, 2)} s`);
const count = (value: number): string => rounded(value, 0);
const rating = (value: number): string => rounded(value, 1);

const words: Readonly<Record<AlertMetric, Words>> = {
  failureRate: { tell: (value) => `Failure rate was ${value}`, format: percent, samples: "trace" },
  downvoteRate: { tell: (value) => `Downvote rate was ${value}`, format: percent, samples: "trace" },
  toolFailureRate: { tell: (value) => `Tool failure rate was ${value}`, format: percent, samples: "trace" },
  p95LatencyMs: { tell: (value) => `p95 latency was ${value}`, format: milliseconds, samples: "trace" },
  errorCount: { tell: (value) => `Traces with an error: ${value}`, format: count, samples: "trace" },
  meanRating: { tell: (value) => `Mean rating was ${value}`, format: rating, samples: "rating" },
  traceCount: { tell: (value) => `Traces: ${value}`, format: count, samples: "trace" },
};

/**
 * A sentence about a rule that fired: `Failure rate was 24.4% over the last 24 hours (threshold 20%, 312 traces). Rule:
 * Checkout.`
 */
export function describeAlert(
  { name, metric, threshold, windowMinutes }: AlertRuleDocument,
  { value, samples }: Measurement,
): string {
  const { tell, format, samples: unit } = words[metric];
  // For a count of traces the sample size would repeat the value.
  const among = metric === "traceCount" ? "" : `, ${samples} ${unit}${samples === 1 ? "" : "s"}`;
  const within = `over the last ${windowWords(windowMinutes)}`;
  return `${tell(format(value ?? 0))} ${within} (threshold ${format(threshold)}${among}). Rule: ${name}.`;
}

function windowWords(minutes: number): string {
  const [size, unit] = minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return size === 1 ? unit : `${size} ${unit}s`;
}

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
