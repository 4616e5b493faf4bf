-- What others said of spans and sent as telemetry (otlp 7), the later of two with one name and span. A trace's are told
-- again whenever it settles, in any pieces; what they say of it as a whole, in monitor.verdicts, is made of these rows.
create table monitor.external_evaluations (
  project_id uuid not null,
  trace_id uuid not null,
  span_id text not null,
  name text not null,
  -- On the grader's own scale; null: it gave none.
  score double precision,
  label text,
  explanation text,
  given_at timestamptz not null,
  primary key (project_id, trace_id, name, span_id)
);

alter table monitor.external_evaluations enable row level security;
alter table monitor.external_evaluations force row level security;
create policy app_scope on monitor.external_evaluations to touchstone_monitor_app
  using (project_id = any ((select monitor.projects())::uuid[]))
  with check (project_id = any ((select monitor.projects())::uuid[]));
create policy maintenance_all on monitor.external_evaluations to touchstone_monitor_maintenance
  using (true) with check (true);
grant select, insert, update, delete on monitor.external_evaluations
  to touchstone_monitor_app, touchstone_monitor_maintenance;
