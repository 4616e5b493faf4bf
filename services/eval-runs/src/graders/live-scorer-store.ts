import type { Database, Queryable } from "@touchstone/db";
import type { GroupDocument } from "./group-document.ts";
import type { LiveProfile, OnlineProfile } from "./online-profile.ts";

/** Projects that one sweep announces. */
const projectsAtOnce = 100;

/** A judge that is attached to live traffic, or is in a group that is. */
export interface LiveJudgeSource {
  id: string;
  version: number;
  document: string;
  online: OnlineProfile | null;
}

/** A group that is attached to live traffic. */
export interface LiveGroupSource {
  id: string;
  group: GroupDocument;
  online: LiveProfile;
}

/** Locks the graders of a project for the rest of the transaction. */
export async function lockGradersOf(transaction: Queryable, projectId: string): Promise<void> {
  await transaction.query({
    name: "graders_lock",
    text: "select pg_advisory_xact_lock(hashtextextended('touchstone graders ' || $1, 0))",
    values: [projectId],
  });
}

/** Stores what is announced, by its digest; returns the new revision, or null if the last one had the same digest. */
export async function noteLiveScorers(
  transaction: Queryable,
  projectId: string,
  digest: string,
): Promise<{ revision: number; announcedAt: Date } | null> {
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
  const [noted] = rows;
  return noted === undefined ? null : { revision: Number(noted.revision), announcedAt: noted.announced_at };
}

/** Projects with live scorers that were never announced. `maintenance` sees every project. */
export async function listUnannouncedProjects(maintenance: Database): Promise<string[]> {
  const { rows } = await maintenance.query<{ project_id: string }>({
    name: "live_scorers_untold",
    text: `
      select project_id
      from (
        select project_id from evals.grading_configs where online is not null
        union
        select project_id from evals.scorer_groups where online is not null
      ) as live
      where not exists (select from evals.live_scorers where live_scorers.project_id = live.project_id)
        and not exists (select from evals.deleted_projects where deleted_projects.project_id = live.project_id)
      limit $1`,
    values: [projectsAtOnce],
  });
  return rows.map((row) => row.project_id);
}

/** The judges with a live profile, and the members of live groups. */
export async function readLiveJudges(
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
