import type { LiveGroup, LiveJudge, SettledTrace } from "@touchstone/contracts";
import { isSampled } from "../model/sampled.ts";

type Traffic = Pick<SettledTrace, "traceId" | "agentId">;

/** Whether a judge is to look at a trace: it is live, of traces, the agent is among its own, and the coin says so. */
export function isJudgeDue(judge: LiveJudge, { traceId, agentId }: Traffic): boolean {
  const isOwn = judge.scopeMode === "all" || (agentId !== null && judge.agentIds.includes(agentId));
  return judge.enabled && judge.scope === "trace" && isOwn && isSampled(judge.sampleRate, judge.scorerId, traceId);
}

/** The same of a group, which looks at every agent. */
export function isGroupDue(group: LiveGroup, { traceId }: Traffic): boolean {
  return group.enabled && group.scope === "trace" && isSampled(group.sampleRate, group.groupId, traceId);
}
