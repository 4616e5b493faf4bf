import type { Database } from "@touchstone/db";

/** Rows in one transaction. */
const batchRows = 1_000;

/**
 * Looks at links and media that are due at a time, null for now by PostgreSQL's clock: a link to a trace that is not stored goes, and media without a link. What is
 * found named is not looked at again, since removing its trace removes it.
 */
export async function removeUnnamedMedia(
  maintenance: Database,
  at: Date | null,
  mayGoOn: () => boolean,
): Promise<void> {
  for (const statement of [settleLinks, settleMedia]) {
    let isDone = false;
    while (!isDone && mayGoOn()) {
      const { rows } = await maintenance.query<{ looked_at: number }>({ ...statement, values: [at, batchRows] });
      isDone = (rows[0]?.looked_at ?? 0) < batchRows;
    }
  }
}

const settleLinks = {
  name: "media_links_settle",
  text: `
    with due as materialized (
      select ctid as link, project_id, trace_key
      from ingest.media_links
      where due_at <= coalesce($1::timestamptz, now())
      order by due_at
      limit $2
      for update skip locked
    ),
    looked as materialized (
      select link, (
        select true from ingest.traces
        where traces.project_id = due.project_id and traces.trace_key = due.uuid
        union all
        select true from ingest.spans where spans.project_id = due.project_id and spans.id = due.uuid
        limit 1
      ) is not null as is_stored
      from (
        select link, project_id, case when trace_key ~ '^[0-9a-f]{32}$' then trace_key::uuid end as uuid from due
      ) due
    ),
    named as (
      update ingest.media_links
      set due_at = null
      where ctid = any(array(select link from looked where is_stored))
    ),
    unnamed as (
      delete from ingest.media_links
      where ctid = any(array(select link from looked where not is_stored))
    )
    select count(*)::integer as looked_at from looked`,
};

const settleMedia = {
  name: "media_settle",
  text: `
    with due as materialized (
      select ctid as medium, project_id, id
      from ingest.media
      where due_at <= coalesce($1::timestamptz, now())
      order by due_at
      limit $2
      for update skip locked
    ),
    looked as materialized (
      select medium, (
        select true from ingest.media_links links
        where links.project_id = due.project_id and links.media_id = due.id
        limit 1
      ) is not null as is_named
      from due
    ),
    named as (
      update ingest.media
      set due_at = null, kept_until = null
      where ctid = any(array(select medium from looked where is_named))
    ),
    unnamed as (
      delete from ingest.media
      where ctid = any(array(select medium from looked where not is_named))
    )
    select count(*)::integer as looked_at from looked`,
};
