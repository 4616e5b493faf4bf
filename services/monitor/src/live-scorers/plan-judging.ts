import type { LiveGroup, LiveJudge, SettledTrace } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import type { PlannedCheck } from "../checks/check.ts";
import { planOf, type RecordedTrace } from "../judging/judged-subject.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence-reader.ts";

/** The values of a trace that select its judges. */
export type JudgeableTrace = RecordedTrace & Pick<SettledTrace, "projectId" | "traceId">;

/** The checks of the judges that a trace is due. */
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

/** The same for scorer groups. */
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

/** True if a judge applies to a trace: it is live, for traces, includes the agent, and the trace is in its sample. */
function isJudgeDue(judge: LiveJudge, { traceId, agentId }: Traffic): boolean {
  const isOwn = judge.scopeMode === "all" || (agentId !== null && judge.agentIds.includes(agentId));
  return judge.enabled && judge.scope === "trace" && isOwn && isSampled(judge.sampleRate, judge.scorerId, traceId);
}

/** The same for a group, which includes every agent. */
function isGroupDue(group: LiveGroup, { traceId }: Traffic): boolean {
  return group.enabled && group.scope === "trace" && isSampled(group.sampleRate, group.groupId, traceId);
}
