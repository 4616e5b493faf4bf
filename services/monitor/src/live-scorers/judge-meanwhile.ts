import type { LiveScorers, SettledTrace } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { PlannedCheck } from "../checks/check.ts";
import { insertChecks } from "../checks/planned-check-store.ts";
import { isWatched } from "../model/sampling.ts";
import { readSeen, type SeenTrace, seenAtOnce } from "../traces/seen-trace-reader.ts";
import { selectDeletedProjects } from "../traces/settled-trace-store.ts";
import type { LiveScorerStore } from "./live-scorer-store.ts";
import { type JudgeableTrace, planGroups, planJudges } from "./plan-judging.ts";

/** Plans checks for the traces that arrived between a change of live scorers and its announcement. Idempotent. */
export type JudgeMeanwhile = (told: LiveScorers) => Promise<void>;

/**
 * A trace sent after a change was acknowledged may settle before monitor receives the change, if the bus or monitor was
 * unavailable (decision 42). Such traces are found by their arrival time, which is after the change. Unsettled ones are planned
 * when they settle.
 */
export function createJudgeMeanwhile(options: {
  /** Connects as the application role. */
  database: Database;
  /** Connects as the maintenance role. */
  maintenance: Database;
  liveScorers: Pick<LiveScorerStore, "read">;
  /** Called when checks may have become due. */
  onPlanned: () => void;
}): JudgeMeanwhile {
  const { database, maintenance, liveScorers, onPlanned } = options;

  async function planOf(told: LiveScorers, traces: readonly JudgeableTrace[]): Promise<number> {
    const { projectId } = told;
    return database.scoped([projectId], async (transaction) => {
      // The announcement may be outdated: it is combined with the stored scorers.
      const { judges, groups } = await liveScorers.read(transaction, projectId);
      const planned = [];
      for (const trace of traces) {
        planned.push(
          ...inBoth(await planJudges(told.judges, trace, transaction), await planJudges(judges, trace, transaction)),
          ...inBoth(await planGroups(told.groups, trace, transaction), await planGroups(groups, trace, transaction)),
        );
      }
      if (planned.length === 0) return 0;
      return insertChecks(
        transaction,
        planned.map((check) => ({ projectId, check })),
      );
    });
  }

  return async (told) => {
    const { projectId, changedAt, judges, groups } = told;
    const isLive = [...judges, ...groups].some(({ enabled, scope }) => enabled && scope === "trace");
    if (changedAt === undefined || !isLive) return;
    if ((await selectDeletedProjects(maintenance, [told])).has(projectId)) return;
    let planned = 0;
    let from = { seenAt: changedAt, traceId: beforeAll };
    for (;;) {
      const rows = await readSeen(maintenance, from);
      const traces = rows.filter((row) => row.project_id === projectId && row.is_settled).map(toTrace);
      const watched = traces.filter(isWatched);
      if (watched.length > 0) planned += await planOf(told, watched);
      const last = rows.at(-1);
      if (rows.length < seenAtOnce || last === undefined) break;
      from = { seenAt: last.seen_at, traceId: last.trace_id };
    }
    if (planned > 0) onPlanned();
  };
}

function inBoth(told: readonly PlannedCheck[], inForce: readonly PlannedCheck[]): PlannedCheck[] {
  return inForce.filter(({ scorerId }) => told.some((each) => each.scorerId === scorerId));
}

const beforeAll = "00000000-0000-0000-0000-000000000000";

const toTrace = (row: SeenTrace) => ({
  projectId: row.project_id,
  traceId: row.trace_id,
  agentId: row.agent_id,
  sessionId: row.session_id,
  createdAt: row.created_at.toISOString(),
  monitor: row.monitor,
  trafficSource: row.traffic_source as SettledTrace["trafficSource"],
  ...(row.otel_trace_id !== null && { otelTraceId: row.otel_trace_id }),
  ...(row.otel_span_id !== null && { otelSpanId: row.otel_span_id }),
  ...(row.response_id !== null && { responseId: row.response_id }),
});
