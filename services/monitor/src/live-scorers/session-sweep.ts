import type { LiveGroup, LiveJudge } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import { AppError, isAppError, isProjectDeleted, type Logger } from "@touchstone/service-kit";
import type { CheckKind, PlannedCheck } from "../checks/check.ts";
import { insertChecks } from "../checks/planned-check-store.ts";
import type { JudgingPlan } from "../judging/judged-subject.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence-reader.ts";
import type { LiveScorerSet, LiveScorerStore } from "./live-scorer-store.ts";
import {
  forgetOldSessions,
  idleSessionsMax,
  listIdleSessions,
  lookLater,
  putOffSession,
  type SessionRow,
  takeSweepLease,
} from "./session-store.ts";

export interface SessionSweepTimings {
  everyMs: number;
  /** Sessions judged in one pass. */
  sessionsMax: number;
}

const defaultTimings: SessionSweepTimings = { everyMs: 60_000, sessionsMax: 5 };
/** Bounds a pass over sessions that nothing is left to judge of. */
const batchesMax = 10;
/** The time after a session became idle for a scorer during which that scorer judges it. */
const judgeableSeconds = 86_400;

/** The judging of idle sessions (completions 2.7). */
export interface SessionSweep {
  /**
   * Plans the judging of idle sessions: for one project, or all for null. Returns the number of sessions; null while another
   * replica is sweeping.
   */
  sweep(projectId: string | null): Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * Starts looking for idle sessions, one replica at a time. A scorer judges a session once per round of new activity: the round
 * is part of the check, so repeated passes plan nothing twice.
 */
export function startSessionSweep(options: {
  database: Database;
  maintenance: Database;
  liveScorers: Pick<LiveScorerStore, "readToPlan">;
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
    // The lease expires before the next pass is due, by any replica's clock.
    if (projectId === null && !(await takeSweepLease(maintenance, timings.everyMs * 0.9))) return null;
    let judged = 0;
    for (let batch = 0; batch < batchesMax && judged < timings.sessionsMax; batch += 1) {
      // Those of the batch before are no longer listed.
      const sessions = await listIdleSessions(maintenance, projectId);
      for (const session of sessions) {
        if (judged >= timings.sessionsMax) break;
        if (await planOrPutOff(session)) judged += 1;
      }
      if (sessions.length < idleSessionsMax) break;
    }
    if (judged > 0) onPlanned();
    if (projectId === null) await forgetOldSessions(maintenance);
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
      await putOffSession(maintenance, session);
      return false;
    }
  }

  /** Plans the due checks of a session and sets the time of its next look. Returns true if any were due. */
  async function plan(session: SessionRow): Promise<boolean> {
    const { project_id: projectId, session_id: sessionId, agent_id: agentId, activity } = session;
    return database.scoped([projectId], async (transaction) => {
      const scorers = sessionScorersOf(await liveScorers.readToPlan(transaction, projectId), session);
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
      await lookLater(
        transaction,
        session,
        later.length === 0 ? null : Math.min(...later.map(({ idleSeconds }) => idleSeconds)),
      );
      return planned > 0;
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
