import type { LiveGroup, LiveJudge, SettledTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import type { PlannedCheck } from "../checks/check.ts";
import { planOf, type RecordedTrace } from "../judging/judged-subject.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence.ts";

/** What is known of a trace when it is decided who judges it. */
export type JudgeableTrace = RecordedTrace & Pick<SettledTrace, "projectId" | "traceId">;

/** The checks of the judges that are to look at a trace. */
export async function planJudges(
  judges: readonly LiveJudge[],
  trace: JudgeableTrace,
  transaction: Queryable,
): Promise<PlannedCheck[]> {
  const due = judges.filter((each) => isJudgeDue(each, trace));
  if (due.length === 0 || (await isSilenced(transaction, trace))) return [];
  const plan = planOf(trace);
  return due.map(({ scorerId }) => ({ kind: "judge", scorerId, subjectId: trace.traceId, round: 0, plan }));
}

/** The same of scorer groups. */
export async function planGroups(
  groups: readonly LiveGroup[],
  trace: JudgeableTrace,
  transaction: Queryable,
): Promise<PlannedCheck[]> {
  const due = groups.filter((each) => isGroupDue(each, trace));
  if (due.length === 0 || (await isSilenced(transaction, trace))) return [];
  const plan = planOf(trace);
  return due.map(({ groupId }) => ({ kind: "group", scorerId: groupId, subjectId: trace.traceId, round: 0, plan }));
}

type Traffic = Pick<SettledTrace, "traceId" | "agentId">;

/** Whether a judge is to look at a trace: it is live, of traces, the agent is among its own, and the coin says so. */
function isJudgeDue(judge: LiveJudge, { traceId, agentId }: Traffic): boolean {
  const isOwn = judge.scopeMode === "all" || (agentId !== null && judge.agentIds.includes(agentId));
  return judge.enabled && judge.scope === "trace" && isOwn && isSampled(judge.sampleRate, judge.scorerId, traceId);
}

/** The same of a group, which looks at every agent. */
function isGroupDue(group: LiveGroup, { traceId }: Traffic): boolean {
  return group.enabled && group.scope === "trace" && isSampled(group.sampleRate, group.groupId, traceId);
}
