import type { Database, Queryable } from "@touchstone/db";
import { plannableDays } from "../traces/settled-trace-store.ts";

/** The sessions of a batch, and of one project in it: of most, nothing is left to judge. */
export const idleSessionsMax = 100;
/** After this time a session that could not be planned is tried again. */
const putOffSeconds = 600;
/** Longer than any check of the session: a round that was planned is not planned again. */
const keptDays = plannableDays + 2;

/** An idle session. */
export interface SessionRow {
  project_id: string;
  session_id: string;
  agent_id: string | null;
  activity: number;
  last_trace_at: Date;
  idle_seconds: number;
}

/**
 * A batch of the sessions to look at: of one project, or of all for null. Projects take turns, each with its oldest session
 * first. Which of them comes first is left to chance: by age it would always be those with a backlog.
 */
export async function listIdleSessions(maintenance: Database, projectId: string | null): Promise<SessionRow[]> {
  // Two days: a scorer waits for up to a day before the day in which it judges; the sweep decides for each scorer. No session is
  // looked at before its last activity: the bound of `look_at` only shortens the read of the index.
  const { rows } = await maintenance.query<SessionRow>({
    name: "sessions_idle",
    text: `
      select project_id, session_id, agent_id, activity, last_trace_at,
             extract(epoch from now() - active_at)::double precision as idle_seconds
      from monitor.live_scorers
      cross join lateral (
        select session_id, agent_id, activity, last_trace_at, active_at, row_number() over (order by look_at) as turn
        from (
          select session_id, agent_id, activity, last_trace_at, active_at, look_at
          from monitor.sessions
          where sessions.project_id = live_scorers.project_id
            and look_at <= now()
            and look_at > now() - interval '2 days'
            and active_at <= now() - session_idle_seconds * interval '1 second'
            and active_at > now() - interval '2 days'
          order by look_at
          limit $2
        ) as oldest
      ) as idle
      where session_idle_seconds is not null
        and ($1::uuid is null or project_id = $1)
      order by turn, random()
      limit $2`,
    values: [projectId, idleSessionsMax],
  });
  return rows;
}

/** Sets the next look at a session to the time when it has been idle for `idleSeconds`; null: never, unless it goes on. */
export async function lookLater(
  transaction: Queryable,
  session: SessionRow,
  idleSeconds: number | null,
): Promise<void> {
  await transaction.query({
    name: "session_look_later",
    text: `
      update monitor.sessions
      set look_at = active_at + $4 * interval '1 second'
      where project_id = $1
        and session_id = $2
        and activity = $3`,
    values: [session.project_id, session.session_id, session.activity, idleSeconds],
  });
}

/** Puts off the next look. Under the maintenance role, which can also write for a deleted project. */
export async function putOffSession(maintenance: Database, session: SessionRow): Promise<void> {
  await maintenance.query({
    name: "session_put_off",
    text: `
      update monitor.sessions
      set look_at = now() + $4 * interval '1 second'
      where project_id = $1
        and session_id = $2
        and activity = $3`,
    values: [session.project_id, session.session_id, session.activity, putOffSeconds],
  });
}

/** Takes the lease of the sweep; false while another replica has it. */
export async function takeSweepLease(maintenance: Database, leaseMs: number): Promise<boolean> {
  const { rowCount } = await maintenance.query({
    name: "session_sweep_lease",
    text: `
      insert into monitor.leases as lease (name, ends_at)
      values ('session-sweep', now() + $1 * interval '1 millisecond')
      on conflict (name) do update
      set ends_at = excluded.ends_at
      where lease.ends_at <= now()`,
    values: [leaseMs],
  });
  return rowCount === 1;
}

/** Deletes sessions that no scorer judges any more. */
export async function forgetOldSessions(maintenance: Database): Promise<void> {
  await maintenance.query({
    name: "sessions_forget",
    text: `
      delete from monitor.sessions
      where active_at < now() - $1 * interval '1 day'`,
    values: [keptDays],
  });
}
