import type { SettledTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";

/**
 * Records the activity of sessions, for traces that settled for the first time. Their idle time restarts. A session that was
 * forgotten goes on after the last round it was judged in.
 */
export async function recordSessions(transaction: Queryable, traces: readonly SettledTrace[]): Promise<void> {
  const sessions = new Map<string, { newest: SettledTrace; sessionId: string; count: number }>();
  for (const trace of traces) {
    const { projectId, sessionId, createdAt } = trace;
    if (sessionId === null) continue;
    const key = `${projectId} ${sessionId}`;
    const known = sessions.get(key);
    const newest = known !== undefined && known.newest.createdAt > createdAt ? known.newest : trace;
    sessions.set(key, { newest, sessionId, count: (known?.count ?? 0) + 1 });
  }
  if (sessions.size === 0) return;
  const active = [...sessions.values()];
  await transaction.query({
    name: "sessions_note_activity",
    text: `
      insert into monitor.sessions as known
        (project_id, session_id, agent_id, activity, last_trace_at, active_at, look_at)
      select project_id, session_id, agent_id, activity + judged_before, last_trace_at, now(), now()
      from unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::timestamptz[])
        as active (project_id, session_id, agent_id, activity, last_trace_at)
      cross join lateral (
        select coalesce(max(scores.round), 0) as judged_before
        from monitor.session_scores as scores
        where scores.project_id = active.project_id
          and scores.session_id = active.session_id
          and not exists (
            select
            from monitor.sessions as kept
            where kept.project_id = active.project_id
              and kept.session_id = active.session_id)
      ) as before
      order by project_id, session_id
      on conflict (project_id, session_id) do update
      set agent_id = case
            when excluded.last_trace_at >= known.last_trace_at then excluded.agent_id else known.agent_id end,
          activity = known.activity + excluded.activity,
          last_trace_at = greatest(known.last_trace_at, excluded.last_trace_at),
          active_at = excluded.active_at,
          look_at = excluded.look_at`,
    values: [
      active.map(({ newest }) => newest.projectId),
      active.map(({ sessionId }) => sessionId),
      active.map(({ newest }) => newest.agentId),
      active.map(({ count }) => count),
      active.map(({ newest }) => newest.createdAt),
    ],
  });
}
