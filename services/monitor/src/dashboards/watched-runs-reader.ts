/**
 * The runs from $2 on, before $3, with their failures. Failing verdicts are read as one range of their index: a trace's id
 * begins with its creation time in milliseconds, and $4 is the first id of $2.
 */
export const runs = `
  select created_at, agent_id, latency_ms, has_error, tool_calls,
         operational_class <> 'healthy-response' as fails_operationally,
         starts_with(operational_class, 'agent-tool-failure:') as tool_fails,
         failed.trace_id is not null as fails_by_scorer
  from monitor.seen_traces
  left join (
    select distinct trace_id
    from monitor.verdicts
    where project_id = $1
      and trace_id >= $4
      and rating < threshold
  ) as failed on failed.trace_id = seen_traces.trace_id
  where project_id = $1
    and created_at >= $2
    and created_at < $3
    and operational_class is not null`;

/** Counts of those runs. */
export const runCounts = `
  count(*)::integer as total_runs,
  count(*) filter (where fails_operationally or fails_by_scorer)::integer as failing_runs,
  count(*) filter (where fails_operationally)::integer as operational_failing_runs,
  count(*) filter (where fails_by_scorer)::integer as scorer_failing_runs`;

/** The votes from $2 on, before $3. */
export const votes = `
  from monitor.feedback
  where project_id = $1
    and created_at >= $2
    and created_at < $3`;

/** Matches every row if the parameter is null. */
export const isOfAgent = (parameter: string): string => `(${parameter}::uuid is null or agent_id = ${parameter})`;

/** The same for a vote, which names a trace. */
export const isVoteOfAgent = (parameter: string): string => `
  (${parameter}::uuid is null or exists (
    select
    from monitor.seen_traces
    where seen_traces.project_id = $1
      and seen_traces.trace_id = feedback.trace_id
      and seen_traces.agent_id = ${parameter}
  ))`;

/** The smallest id of a trace created at this time. */
export function firstIdOf(time: Date): string {
  const milliseconds = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-0000-0000-000000000000`;
}
