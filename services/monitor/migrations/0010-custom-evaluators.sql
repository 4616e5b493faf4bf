-- Scorers that are a project's own programs (completions 4.5).
create table monitor.custom_evaluators (
  project_id uuid not null,
  id uuid not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);

alter table monitor.custom_evaluators enable row level security;
alter table monitor.custom_evaluators force row level security;
create policy app_scope on monitor.custom_evaluators to touchstone_monitor_app
  using (project_id = any ((select monitor.projects())::uuid[]))
  with check (project_id = any ((select monitor.projects())::uuid[]));
create policy maintenance_all on monitor.custom_evaluators to touchstone_monitor_maintenance
  using (true) with check (true);
grant select, insert, update, delete on monitor.custom_evaluators
  to touchstone_monitor_app, touchstone_monitor_maintenance;

-- When it was said what a trace is about; null: it was not.
alter table monitor.judged_traces add column classified_at timestamptz;
create index judged_traces_classified on monitor.judged_traces (project_id, classified_at) where classified_at is not null;
