import type { kpis } from "@touchstone/contracts";
import type { z } from "zod";
import { ratesOf, type TrafficCounts } from "./traffic-counts.ts";

type Kpis = z.input<typeof kpis>;

/** The figures of a window that begins at `since`, and the change of its rates from the previous window (completions 9.5). */
export function composeKpis(window: Kpis["window"], since: Date, counts: TrafficCounts, before: TrafficCounts): Kpis {
  const rates = ratesOf(counts);
  const ratesBefore = ratesOf(before);
  const {
    totalRuns,
    failingRuns,
    operationalFailingRuns,
    scorerFailingRuns,
    toolRuns,
    toolFailingRuns,
    votes,
    votesDown,
  } = counts;
  return {
    window,
    since: since.toISOString(),
    totalRuns,
    ...rates,
    p95LatencyMs: counts.p95LatencyMs,
    deltas: {
      healthRate: difference(rates.healthRate, ratesBefore.healthRate),
      failureRate: difference(rates.failureRate, ratesBefore.failureRate),
      downvoteRate: difference(rates.downvoteRate, ratesBefore.downvoteRate),
      toolFailureRate: difference(rates.toolFailureRate, ratesBefore.toolFailureRate),
    },
    breakdown: {
      totalRuns,
      healthyRuns: totalRuns - failingRuns,
      failingRuns,
      operationalFailingRuns,
      scorerFailingRuns,
      healthRate: rates.healthRate,
      toolRuns,
      toolFailingRuns,
      votes,
      votesDown,
    },
  };
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}
