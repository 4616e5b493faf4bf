-- As it was, with each key looked up by itself. (Two alternatives in one condition were answered by hashing all traces of
-- the project, with every batch, for as long as statistics were as young as the table.)
create or replace function ingest.require_new_traces(
  project_ids uuid[], trace_keys uuid[], response_projects uuid[], response_ids text[]
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select
    from unnest(project_ids, trace_keys) as wanted (project_id, trace_key)
    cross join lateral (
      select
      from ingest.traces
      where traces.project_id = wanted.project_id and traces.trace_key = wanted.trace_key
      limit 1
    ) known
  ) or exists (
    select
    from unnest(project_ids, trace_keys) as wanted (project_id, trace_key)
    cross join lateral (
      select
      from ingest.log_fragments
      where log_fragments.project_id = wanted.project_id and log_fragments.trace_key = wanted.trace_key
      limit 1
    ) known
  ) or exists (
    select
    from unnest(response_projects, response_ids) as wanted (project_id, response_id)
    cross join lateral (
      select
      from ingest.log_fragments
      where log_fragments.project_id = wanted.project_id
        and log_fragments.response_id = wanted.response_id
        and log_fragments.trace_key is null
      limit 1
    ) known
  ) then
    raise exception using errcode = 'TST01', message = 'a trace is not new';
  end if;
end
$$;
