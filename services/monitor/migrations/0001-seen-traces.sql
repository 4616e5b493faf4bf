-- What monitor saw of the traffic: one row for each root trace, however often its event is delivered.

create function monitor.projects() returns uuid[]
language sql stable
as $$ select string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[] $$;

create table monitor.seen_traces (
  project_id uuid not null,
  trace_id uuid not null,
  agent_id uuid,
  name text not null,
  created_at timestamptz not null,
  traffic_source text,
  monitor boolean,
  pattern_ids text[],
  seen_at timestamptz not null default now(),
  primary key (project_id, trace_id)
);

alter table monitor.seen_traces enable row level security;
alter table monitor.seen_traces force row level security;

create policy app_scope on monitor.seen_traces to touchstone_monitor_app
  using (project_id = any ((select monitor.projects())::uuid[]))
  with check (project_id = any ((select monitor.projects())::uuid[]));

create policy maintenance_all on monitor.seen_traces to touchstone_monitor_maintenance
  using (true)
  with check (true);

grant usage on schema monitor to touchstone_monitor_app, touchstone_monitor_maintenance;
grant select, insert on monitor.seen_traces to touchstone_monitor_app;
grant select, insert, delete on monitor.seen_traces to touchstone_monitor_maintenance;
