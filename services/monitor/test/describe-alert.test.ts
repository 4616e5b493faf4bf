import type { AlertMetric } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { composeAlertRule } from "../src/alerts/alert-rule.ts";
import { describeAlert } from "../src/alerts/describe-alert.ts";

const told = (metric: AlertMetric, threshold: number, windowMinutes: number, value: number, samples: number): string =>
  describeAlert(composeAlertRule({ name: "Checkout", metric, comparison: "above", threshold, windowMinutes }, null), {
    value,
    samples,
  });

test.each([
  [
    "failureRate",
    [0.2, 1_440, 0.24444, 312],
    "Failure rate was 24.4% over the last 24 hours (threshold 20%, 312 traces).",
  ],
  ["downvoteRate", [0.075, 60, 1, 1], "Downvote rate was 100% over the last hour (threshold 7.5%, 1 trace)."],
  ["toolFailureRate", [0, 1, 0.5, 2], "Tool failure rate was 50% over the last minute (threshold 0%, 2 traces)."],
  [
    "p95LatencyMs",
    [900, 90, 5_204.6, 40],
    "p95 latency was 5.2 s over the last 90 minutes (threshold 900 ms, 40 traces).",
  ],
  ["errorCount", [5, 120, 7, 40], "Traces with an error: 7 over the last 2 hours (threshold 5, 40 traces)."],
  ["meanRating", [5, 60, 3.24, 9], "Mean rating was 3.2 over the last hour (threshold 5, 9 ratings)."],
  ["traceCount", [1, 60, 0, 0], "Traces: 0 over the last hour (threshold 1)."],
] as const)("%s is described in words", (metric, [threshold, windowMinutes, value, samples], sentence) => {
  expect(told(metric, threshold, windowMinutes, value, samples)).toBe(`${sentence} Rule: Checkout.`);
});
