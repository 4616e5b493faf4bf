import type { sessionsJudged } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

/** The latest live verdicts of sessions, for their list. */
export interface SessionVerdictStore {
  /**
   * Stores verdicts newer than the stored ones, skips deleted projects, and deletes verdicts of these projects older
   * than 90 days. Idempotent, and independent of order.
   */
  keep(sessions: z.output<typeof sessionsJudged.body>["sessions"]): Promise<void>;
}

/** Three times the window of the list. */
const keptDays = 90;

/**
 * Stores {@link SessionVerdictStore} in the schema `ingest`, under the maintenance role: one event may cover many
 * projects.
 */
export function createSessionVerdictStore(maintenance: Database): SessionVerdictStore {
  return {
    async keep(sessions) {
      await maintenance.query({
        // Of two revisions in one event, the greater one is kept.
        name: "session_verdicts_keep",
        text: `
          with forgotten as (
            delete from ingest.session_verdicts
            where project_id = any ($1::uuid[]) and session_id <> all ($2::text[])
              and checked_at < now() - $8 * interval '1 day'
          )
          insert into ingest.session_verdicts as verdicts
            (project_id, session_id, revision, rating, scorer_name, checked_at, judges)
          select distinct on (project_id, session_id) *
          from unnest($1::uuid[], $2::text[], $3::bigint[], $4::float8[], $5::text[], $6::timestamptz[], $7::text[])
            as judged (project_id, session_id, revision, rating, scorer_name, checked_at, judges)
          where checked_at >= now() - $8 * interval '1 day'
            and not exists (
              select
              from ingest.deleted_projects
              where deleted_projects.project_id = judged.project_id
            )
          order by project_id, session_id, revision desc
          on conflict (project_id, session_id) do update
          set revision = excluded.revision, rating = excluded.rating, scorer_name = excluded.scorer_name,
            checked_at = excluded.checked_at, judges = excluded.judges
          where verdicts.revision < excluded.revision`,
        values: [
          sessions.map(({ projectId }) => projectId),
          sessions.map(({ sessionId }) => sessionId),
          sessions.map(({ revision }) => revision),
          sessions.map(({ rating }) => rating),
          sessions.map(({ scorerName }) => scorerName),
          sessions.map(({ checkedAt }) => checkedAt),
          sessions.map(({ judges }) => JSON.stringify(judges)),
          keptDays,
        ],
      });
    },
  };
}
