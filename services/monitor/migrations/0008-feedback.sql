-- What people say of traces (completions 9.6), and what the dashboard reads about traffic, verdicts and people.

-- A thumb; every one is kept, the newest of a trace is what people say of it.
create table monitor.feedback (
  project_id uuid not null,
  id uuid not null,
  trace_id uuid not null,
  rating text not null check (rating in ('up', 'down')),
  comment text,
  end_user_id text,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create index feedback_of_trace on monitor.feedback (project_id, trace_id, created_at desc, id desc);
create index feedback_newest on monitor.feedback (project_id, created_at);

-- How something ended. What it refers to is kept as it was sent.
create table monitor.outcomes (
  project_id uuid not null,
  id uuid not null,
  outcome text not null,
  is_negative boolean not null,
  trace_id text,
  evaluation_run_result_id text,
  reason text,
  reported_by text,
  reported_at timestamptz not null,
  primary key (project_id, id)
);

-- Corrections by people are found by what they correct.
create index signal_feedback_of_signal on monitor.signal_feedback (project_id, signal_id);

-- A window of traffic is one range of this index, without the rows.
create index seen_traces_classified on monitor.seen_traces (project_id, created_at)
  include (trace_id, agent_id, operational_class, latency_ms, has_error, tool_calls)
  where operational_class is not null;
-- Which traces a live scorer fails.
create index verdicts_failing on monitor.verdicts (project_id, trace_id) where rating < threshold;

do $$
declare
  name text;
begin
  foreach name in array array['feedback', 'outcomes'] loop
    execute format('alter table monitor.%I enable row level security', name);
    execute format('alter table monitor.%I force row level security', name);
    execute format(
      'create policy app_scope on monitor.%I to touchstone_monitor_app
         using (project_id = any ((select monitor.projects())::uuid[]))
         with check (project_id = any ((select monitor.projects())::uuid[]))', name);
    execute format('create policy maintenance_all on monitor.%I to touchstone_monitor_maintenance using (true) with check (true)', name);
    execute format(
      'grant select, insert, update, delete on monitor.%I to touchstone_monitor_app, touchstone_monitor_maintenance', name);
  end loop;
end
$$;
