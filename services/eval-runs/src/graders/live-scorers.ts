import { createHash } from "node:crypto";
import { type LiveGroup, type LiveJudge, type LiveScorers, liveScorersChanged } from "@touchstone/contracts";
import { enqueueEvent, type Queryable } from "@touchstone/db";
import { graderOf } from "../grading/plan.ts";
import type { GroupDocument } from "./group-document.ts";
import type { LiveProfile, OnlineProfile } from "./online-profile.ts";

/** A judge that is attached to live traffic, or is in a group that is. */
interface LiveJudgeSource {
  id: string;
  version: number;
  document: string;
  online: OnlineProfile | null;
}

/** A group that is attached to live traffic. */
interface LiveGroupSource {
  id: string;
  group: GroupDocument;
  online: LiveProfile;
}

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
  const { rows } = await transaction.query<{ revision: string; announced_at: Date }>({
    name: "live_scorers_note",
    text: `
      insert into evals.live_scorers as told (project_id, revision, digest, announced_at)
      values ($1, 1, $2, clock_timestamp())
      on conflict (project_id) do update
      set revision = told.revision + 1,
          digest = excluded.digest,
          announced_at = excluded.announced_at
      where told.digest <> excluded.digest
      returning revision, announced_at`,
    values: [projectId, digest],
  });
  const [told] = rows;
  if (told === undefined) return null;
  const body = { projectId, revision: Number(told.revision), changedAt: told.announced_at.toISOString(), ...live };
  await enqueueEvent(transaction, "evals", { event: liveScorersChanged, body });
  return body;
}

/** The judges with a live profile, and the members of live groups. */
async function readLiveJudges(
  transaction: Queryable,
  projectId: string,
  groups: readonly LiveGroupSource[],
): Promise<LiveJudgeSource[]> {
  const { rows } = await transaction.query<{ id: string; version: number; document: string; online: string | null }>({
    name: "live_judges_read",
    text: `
      select configs.id, configs.version, versions.document::text, configs.online::text
      from evals.grading_configs as configs
      join evals.grading_config_versions as versions
        on versions.project_id = configs.project_id
        and versions.config_id = configs.id
        and versions.version = configs.version
      where configs.project_id = $1
        and (
          configs.online is not null
          or configs.id::text = any ($2)
        )
      order by configs.id`,
    values: [projectId, groups.flatMap(({ group }) => judgesOf(group))],
  });
  return rows.map((row) => ({ ...row, online: row.online === null ? null : JSON.parse(row.online) }));
}

/** The groups that are attached to live traffic. */
export async function readLiveGroups(transaction: Queryable, projectId: string): Promise<LiveGroupSource[]> {
  const { rows } = await transaction.query<{ id: string; document: string; online: string }>({
    name: "live_groups_read",
    text: `
      select id, document::text, online::text
      from evals.scorer_groups
      where project_id = $1
        and online is not null
      order by id`,
    values: [projectId],
  });
  return rows.map((row) => ({ id: row.id, group: JSON.parse(row.document), online: JSON.parse(row.online) }));
}

/** The ids of the judges of a group. */
export const judgesOf = ({ members }: GroupDocument): string[] =>
  members.flatMap(({ kind, refId }) => (kind === "judge" ? [refId] : []));

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
