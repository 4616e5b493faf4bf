import type { LiveGroup, LiveJudge } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { AppError, isAppError, isProjectDeleted, type Logger } from "@touchstone/service-kit";
import type { CheckKind, PlannedCheck } from "../checks/check.ts";
import { insertChecks } from "../checks/check-store.ts";
import type { JudgingPlan } from "../judging/judged-subject.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence-reader.ts";
import { plannableDays } from "../traces/settled-trace-store.ts";
import type { LiveScorerSet, LiveScorerStore } from "./live-scorer-store.ts";

export interface SessionSweepTimings {
  everyMs: number;
  /** Sessions judged in one pass. */
  sessionsMax: number;
}

const defaultTimings: SessionSweepTimings = { everyMs: 60_000, sessionsMax: 5 };
/** Sessions read in one pass: most due ones are left to scorers with a longer idle time. */
const lookedAtMax = 100;
/** After this time a session that could not be planned is tried again. */
const putOffSeconds = 600;
/** The time after a session became idle for a scorer during which that scorer judges it. */
const judgeableSeconds = 86_400;
/** Longer than any check of the session: a round that was planned is not planned again. */
const keptDays = plannableDays + 2;

/** The judging of idle sessions (completions 2.7). */
export interface SessionSweep {
  /**
   * Plans the judging of idle sessions: for one project, or all for null. Returns the number of sessions; null while another
   * replica is sweeping.
   */
  sweep(projectId: string | null): Promise<number | null>;
  stop(): Promise<void>;
}

interface SessionRow {
  project_id: string;
  session_id: string;
  agent_id: string | null;
  activity: number;
  last_trace_at: Date;
  idle_seconds: number;
}

/**
 * Starts looking for idle sessions, one replica at a time. A scorer judges a session once per round of new activity: the round
 * is part of the check, so repeated passes plan nothing twice.
 */
export function startSessionSweep(options: {
  database: Database;
  maintenance: Database;
  liveScorers: Pick<LiveScorerStore, "read">;
  /** Called when checks have become due. */
  onPlanned: () => void;
  logger: Logger;
  /** False: it runs only on request. */
  runsByItself: boolean;
  timings?: SessionSweepTimings;
}): SessionSweep {
  const { database, maintenance, liveScorers, onPlanned, logger, runsByItself, timings = defaultTimings } = options;
  let sweeping: Promise<unknown> | null = null;

  async function sweep(projectId: string | null): Promise<number | null> {
    if (projectId === null && !(await takeLease())) return null;
    // Two days: a scorer waits for up to a day before the day in which it judges; `plan` decides for each scorer.
    const { rows } = await maintenance.query<SessionRow>({
      name: "sessions_idle",
      text: `
        select project_id, session_id, agent_id, activity, last_trace_at,
               extract(epoch from now() - active_at)::double precision as idle_seconds
        from monitor.live_scorers
        join monitor.sessions using (project_id)
        where session_idle_seconds is not null
          and ($1::uuid is null or project_id = $1)
          and look_at <= now()
          and active_at <= now() - session_idle_seconds * interval '1 second'
          and active_at > now() - interval '2 days'
        order by look_at
        limit $2`,
      values: [projectId, lookedAtMax],
    });
    let judged = 0;
    for (const session of rows) {
      if (judged >= timings.sessionsMax) break;
      if (await planOrPutOff(session)) judged += 1;
    }
    if (judged > 0) onPlanned();
    if (projectId === null) await forgetOld();
    return judged;
  }

  /** Like `plan`, but puts off a session that fails, so that it does not delay the others. Throws an outage. */
  async function planOrPutOff(session: SessionRow): Promise<boolean> {
    try {
      return await plan(session);
    } catch (thrown) {
      if (isAppError(thrown) && thrown.isOutage) throw thrown;
      if (!isProjectDeleted(thrown)) {
        logger.error({ err: thrown, projectId: session.project_id }, "the judging of an idle session was not planned");
      }
      await putOff(maintenance, session);
      return false;
    }
  }

  /** Plans the due checks of a session and sets the time of its next look. Returns true if any were due. */
  async function plan(session: SessionRow): Promise<boolean> {
    const { project_id: projectId, session_id: sessionId, agent_id: agentId, activity } = session;
    return database.scoped([projectId], async (transaction) => {
      const scorers = sessionScorersOf(await liveScorers.read(transaction, projectId), session);
      const due = scorers.filter(
        ({ idleSeconds }) =>
          idleSeconds <= session.idle_seconds && session.idle_seconds < idleSeconds + judgeableSeconds,
      );
      const later = scorers.filter(({ idleSeconds }) => idleSeconds > session.idle_seconds);
      const plan: JudgingPlan = {
        scope: "session",
        agentId,
        createdAt: session.last_trace_at.toISOString(),
        spanCount: activity,
      };
      const checks = due.map(({ kind, scorerId }): PlannedCheck => {
        return { kind, scorerId, subjectId: sessionId, round: activity, plan };
      });
      const planned =
        checks.length === 0 || (await isSilenced(transaction, { projectId, agentId }))
          ? 0
          : await insertChecks(
              transaction,
              checks.map((check) => ({ projectId, check })),
            );
      await transaction.query({
        name: "session_look_later",
        text: `
          update monitor.sessions
          set look_at = active_at + $4 * interval '1 second'
          where project_id = $1
            and session_id = $2
            and activity = $3`,
        values: [
          projectId,
          sessionId,
          activity,
          later.length === 0 ? null : Math.min(...later.map(({ idleSeconds }) => idleSeconds)),
        ],
      });
      return planned > 0;
    });
  }

  async function takeLease(): Promise<boolean> {
    const { rowCount } = await maintenance.query({
      name: "session_sweep_lease",
      text: `
        insert into monitor.leases as lease (name, ends_at)
        values ('session-sweep', now() + $1 * interval '1 millisecond')
        on conflict (name) do update
        set ends_at = excluded.ends_at
        where lease.ends_at <= now()`,
      // Expires before the next pass is due, by any replica's clock.
      values: [timings.everyMs * 0.9],
    });
    return rowCount === 1;
  }

  async function forgetOld(): Promise<void> {
    await maintenance.query({
      name: "sessions_forget",
      text: `
        delete from monitor.sessions
        where active_at < now() - $1 * interval '1 day'`,
      values: [keptDays],
    });
  }

  const timer = setInterval(() => {
    if (!runsByItself) return;
    sweeping ??= sweep(null)
      .catch((err) => {
        if (!(err instanceof AppError)) logger.error({ err }, "looking for idle sessions failed unexpectedly");
      })
      .finally(() => {
        sweeping = null;
      });
  }, timings.everyMs);

  return {
    sweep,
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** Under the maintenance role, which can also write for a deleted project. */
async function putOff(maintenance: Database, session: SessionRow): Promise<void> {
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

/** The scorers of a session that has been idle for long enough. */
function sessionScorersOf(
  { judges, groups }: LiveScorerSet,
  { session_id: sessionId, agent_id: agentId }: SessionRow,
): { kind: CheckKind; scorerId: string; idleSeconds: number }[] {
  const isLive = ({ enabled, scope }: LiveJudge | LiveGroup): boolean => enabled && scope === "session";
  return [
    ...judges
      .filter((judge) => isLive(judge) && isSampled(judge.sampleRate, judge.scorerId, sessionId))
      .filter((judge) => judge.scopeMode === "all" || (agentId !== null && judge.agentIds.includes(agentId)))
      .map(({ scorerId, idleSeconds }) => ({ kind: "judge" as const, scorerId, idleSeconds })),
    ...groups
      .filter((group) => isLive(group) && isSampled(group.sampleRate, group.groupId, sessionId))
      .map(({ groupId, idleSeconds }) => ({ kind: "group" as const, scorerId: groupId, idleSeconds })),
  ];
}
