-- Aborts the transaction when something is stored of these traces, or waits for these responses: its writer took them
-- for new and has read nothing. To be called under their locks.
create function ingest.require_new_traces(
  project_ids uuid[], trace_keys uuid[], response_projects uuid[], response_ids text[]
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select
    from unnest(project_ids, trace_keys) as wanted (project_id, trace_key)
    where exists (
      select from ingest.traces
      where traces.project_id = wanted.project_id and traces.trace_key = wanted.trace_key
    ) or exists (
      select from ingest.log_fragments
      where log_fragments.project_id = wanted.project_id and log_fragments.trace_key = wanted.trace_key
    )
  ) or exists (
    select
    from unnest(response_projects, response_ids) as wanted (project_id, response_id)
    join ingest.log_fragments
      on log_fragments.project_id = wanted.project_id and log_fragments.response_id = wanted.response_id
    where log_fragments.trace_key is null
  ) then
    raise exception using errcode = 'TST01', message = 'a trace is not new';
  end if;
end
$$;
