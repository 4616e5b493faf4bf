import { type AlertMetric, limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import type { AlertRuleDocument, Measurement } from "./alert-rule.ts";

/**
 * Measures a rule's metric over settled, watched traces whose own time is within its window. A rate is a share of the traces
 * (for `toolFailureRate`, of those that called tools): failing ones have an operational class that is not healthy, or a failure
 * found by a check. `meanRating` is over the ratings of live scorers and groups within the window.
 */
export async function measure(
  transaction: Queryable,
  projectId: string,
  { metric, windowMinutes, agentId }: AlertRuleDocument,
): Promise<Measurement> {
  const { rows } = await transaction.query<{ value: number | null; samples: number }>({
    name: `alert_measure_${metric}`,
    text: metric === "meanRating" ? ratings : ofTraces(measures[metric]),
    values: [projectId, agentId, windowMinutes],
  });
  return rows[0] ?? { value: null, samples: 0 };
}

/** A failure found by a check, not by a person: votes have a metric of their own. */
const hasFinding = `
  exists (
    select
    from monitor.events
    where events.project_id = $1
      and events.trace_id = seen.trace_id
      and events.polarity = 'failure'
      and events.kind not in ('operational', 'feedback')
  )`;

/** By the newest vote on it. */
const isVotedDown = `
  coalesce(
    (
      select feedback.rating = 'down'
      from monitor.feedback
      where feedback.project_id = $1
        and feedback.trace_id = seen.trace_id
      order by feedback.created_at desc, feedback.id desc
      limit 1
    ), false)`;

const share = (condition: string, among = "true"): { value: string; samples: string } => ({
  value: `count(*) filter (where ${condition})::double precision
          / nullif(count(*) filter (where ${among}), 0)`,
  samples: `count(*) filter (where ${among})`,
});

const measures: Record<Exclude<AlertMetric, "meanRating">, { value: string; samples: string }> = {
  failureRate: share(`operational_class <> 'healthy-response' or ${hasFinding}`),
  downvoteRate: share(isVotedDown),
  toolFailureRate: share("cardinality(failed_tools) > 0", "tool_calls > 0 or cardinality(failed_tools) > 0"),
  p95LatencyMs: {
    value: "percentile_cont(0.95) within group (order by latency_ms)",
    samples: "count(latency_ms)",
  },
  errorCount: { value: "count(*) filter (where has_error)::double precision", samples: "count(*)" },
  traceCount: { value: "count(*)::double precision", samples: "count(*)" },
};

const ofTraces = ({ value, samples }: { value: string; samples: string }): string => `
  select ${value} as value, (${samples})::integer as samples
  from monitor.seen_traces as seen
  where seen.project_id = $1
    and ($2::uuid is null or seen.agent_id = $2)
    and seen.created_at > now() - $3 * interval '1 minute'
    and seen.created_at <= now()
    and seen.operational_class is not null`;

const ratings = `
  select avg(rating)::double precision as value, count(*)::integer as samples
  from monitor.verdicts
  where project_id = $1
    and ($2::uuid is null or agent_id = $2)
    and created_at > now() - $3 * interval '1 minute'
    and not starts_with(scorer_key, 'external:')`;

const minutesOfDay = 1_440;

/** A measured window: 0 ends now, 1 ends where 0 begins. */
export interface MeasuredWindow extends Measurement {
  place: number;
}

/** The measurements of consecutive windows up to `until`; empty ones are left out. */
export interface MeasuredDays {
  until: Date;
  windows: MeasuredWindow[];
  /** The time of the oldest trace or rating that was read; null: there was none. */
  oldest: Date | null;
  /** True if there were more rows than were read. */
  isCut: boolean;
}

/**
 * Measures the metric in each whole window of the last days, over at most the newest `limits.alertTrialRowsMax` traces or
 * ratings.
 */
export async function measureDays(
  transaction: Queryable,
  projectId: string,
  { metric, windowMinutes, agentId }: AlertRuleDocument,
  days: number,
): Promise<MeasuredDays> {
  const windows = Math.floor((days * minutesOfDay) / windowMinutes);
  const { rows } = await transaction.query<MeasuredWindow & { until: Date; oldest: Date; rows: number }>({
    name: `alert_measure_days_${metric}`,
    text: metric === "meanRating" ? ratingsOfDays : tracesOfDays(measures[metric]),
    values: [projectId, agentId, windowMinutes, windowMinutes * windows, limits.alertTrialRowsMax],
  });
  const times = rows.map(({ oldest }) => oldest.getTime());
  return {
    until: rows[0]?.until ?? new Date(),
    windows: rows.map(({ place, value, samples }) => ({ place, value, samples })),
    oldest: times.length === 0 ? null : new Date(Math.min(...times)),
    isCut: rows.reduce((sum, window) => sum + window.rows, 0) === limits.alertTrialRowsMax,
  };
}

const placed = `
  floor(extract(epoch from now() - seen.created_at) / ($3 * 60))::integer as place,
  now() as until,
  min(seen.created_at) as oldest,
  count(*)::integer as rows`;

const tracesOfDays = ({ value, samples }: { value: string; samples: string }): string => `
  select ${placed}, ${value} as value, (${samples})::integer as samples
  from (
    select trace_id, created_at, operational_class, latency_ms, has_error, tool_calls, failed_tools
    from monitor.seen_traces
    where project_id = $1
      and ($2::uuid is null or agent_id = $2)
      and created_at > now() - $4 * interval '1 minute'
      and created_at <= now()
      and operational_class is not null
    order by created_at desc
    limit $5
  ) as seen
  group by place`;

const ratingsOfDays = `
  select ${placed}, avg(rating)::double precision as value, count(*)::integer as samples
  from (
    select rating, created_at
    from monitor.verdicts
    where project_id = $1
      and ($2::uuid is null or agent_id = $2)
      and created_at > now() - $4 * interval '1 minute'
      and created_at <= now()
      and not starts_with(scorer_key, 'external:')
    order by created_at desc
    limit $5
  ) as seen
  group by place`;
