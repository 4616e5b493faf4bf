-- Media that was announced without a trace stays until then, whichever traces are deleted; null = it goes with its last
-- link.
alter table ingest.media add column kept_until timestamptz;

create or replace function ingest.remove_unnamed_media() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  named record;
begin
  for named in select distinct project_id, media_id from gone order by project_id, media_id loop
    perform from ingest.media where project_id = named.project_id and id = named.media_id for update;
    delete from ingest.media
    where project_id = named.project_id and id = named.media_id
      and (kept_until is null or kept_until <= now())
      and not exists (
        select from ingest.media_links where project_id = named.project_id and media_id = named.media_id
      );
  end loop;
  return null;
end
$$;

-- The old log records of a project, and the next project that has some.
create index log_fragments_received on ingest.log_fragments (project_id, received_at);

-- Retention removed log records without their spans, and left the rows of their traces. The links to these traces are
-- looked at again, and their media goes with them. Row-level security hides these rows from the owner of the tables.
set local role touchstone_ingest_maintenance;
with gone as (
  delete from ingest.traces
  where span_count = 0
    and not exists (
      select from ingest.spans
      where spans.project_id = traces.project_id and spans.trace_key = traces.trace_key
    )
    and not exists (
      select from ingest.log_fragments
      where log_fragments.project_id = traces.project_id and log_fragments.trace_key = traces.trace_key
    )
  returning project_id, trace_key
)
update ingest.media_links
set due_at = now()
from gone
where media_links.project_id = gone.project_id and media_links.trace_key = replace(gone.trace_key::text, '-', '');
set local role touchstone_ingest_owner;
