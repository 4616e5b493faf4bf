-- What people say of a signal, and of the score that raised it (completions 9.4).
create table monitor.signal_feedback (
  project_id uuid not null,
  id uuid not null,
  signal_id uuid not null,
  occurrence_id uuid,
  metric text not null,
  rationale text not null,
  original_score double precision,
  corrected_score double precision,
  queued_for_autotune boolean not null default false,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, signal_id) references monitor.signals (project_id, id) on delete cascade
);

alter table monitor.signal_feedback enable row level security;
alter table monitor.signal_feedback force row level security;
create policy app_scope on monitor.signal_feedback to touchstone_monitor_app
  using (project_id = any ((select monitor.projects())::uuid[]))
  with check (project_id = any ((select monitor.projects())::uuid[]));
create policy maintenance_all on monitor.signal_feedback to touchstone_monitor_maintenance using (true) with check (true);
grant select, insert, update, delete on monitor.signal_feedback
  to touchstone_monitor_app, touchstone_monitor_maintenance;

-- What was found in a trace.
create index events_of_trace on monitor.events (project_id, trace_id) where trace_id is not null;
