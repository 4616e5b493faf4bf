import { createHash } from "node:crypto";
import { type LiveGroup, type LiveJudge, type LiveScorers, liveScorersChanged } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { graderOf } from "../grading/plan.ts";
import {
  judgesOf,
  type LiveGroupSource,
  type LiveJudgeSource,
  noteLiveScorers,
  readLiveGroups,
  readLiveJudges,
} from "./live-scorer-store.ts";
import type { LiveProfile } from "./online-profile.ts";

/** All scorers of a project's live traffic, including paused ones; members of a group have their rubrics. */
function composeLiveScorers(
  judges: readonly LiveJudgeSource[],
  groups: readonly LiveGroupSource[],
): Pick<LiveScorers, "judges" | "groups"> {
  const byId = new Map(judges.map((judge) => [judge.id, judge]));
  return {
    judges: judges.flatMap(({ id, version, document, online }): LiveJudge[] => {
      if (online === null) return [];
      const { profileId, scopeMode, agentIds } = online;
      const rubric = graderOf({ id, version, document });
      const name = online.name ?? rubric.name ?? id;
      return [
        { ...pickProfile(online), profileId, scorerId: id, name, version, rubric, scopeMode, agentIds: [...agentIds] },
      ];
    }),
    groups: groups.map(
      ({ id, group, online }): LiveGroup => ({
        ...pickProfile(online),
        groupId: id,
        name: group.name,
        members: group.members.map(({ kind, refId, weight, gate }) => ({ kind, refId, weight, gate })),
        rubrics: [...new Set(judgesOf(group))].flatMap((refId) => {
          const judge = byId.get(refId);
          return judge === undefined ? [] : [graderOf(judge)];
        }),
      }),
    ),
  };
}

/**
 * Announces a project's live scorers to monitor, within the transaction that changed them, and returns the announcement; null
 * if nothing changed since the last one. Call it under the lock of the project's graders: revisions grow in the order of the
 * changes.
 */
export async function announceLiveScorers(transaction: Queryable, projectId: string): Promise<LiveScorers | null> {
  const groups = await readLiveGroups(transaction, projectId);
  const live = composeLiveScorers(await readLiveJudges(transaction, projectId, groups), groups);
  const digest = createHash("sha256").update(JSON.stringify(live)).digest("base64url");
  const noted = await noteLiveScorers(transaction, projectId, digest);
  if (noted === null) return null;
  const body = { projectId, revision: noted.revision, changedAt: noted.announcedAt.toISOString(), ...live };
  await enqueueEvent(transaction, "evals", { event: liveScorersChanged, body });
  return body;
}

const pickProfile = ({
  enabled,
  sampleRate,
  alertThreshold,
  severity,
  scope,
  idleSeconds,
}: LiveProfile): LiveProfile => ({
  enabled,
  sampleRate,
  alertThreshold,
  severity,
  scope,
  idleSeconds,
});
