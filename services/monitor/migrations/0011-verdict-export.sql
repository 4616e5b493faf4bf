-- Verdicts on their way to the operator's collector (decision 35), and what OpenTelemetry calls the traces they are of.

-- Of the root: 32 and 16 lowercase hexadecimal characters, and the answer of a model that it is. Null: it came over REST.
alter table monitor.seen_traces
  add column otel_trace_id text,
  add column otel_span_id text,
  add column response_id text;

-- One row for each verdict, written with what it says, complete, so that nothing else has to be read to send it. A
-- worker takes rows under a lease; a row goes when it was taken in, refused, or has become too old.
create table monitor.verdict_exports (
  project_id uuid not null,
  verdict_id text not null,
  -- The order in which they are sent, and what bounds the queue.
  place bigint generated always as identity,
  -- Of a session: none of the four.
  trace_id uuid,
  otel_trace_id text,
  otel_span_id text,
  response_id text,
  -- Of a session.
  session_id text,
  agent_id uuid,
  -- Of a result of an evaluation.
  run_id uuid,
  -- judge, group or custom
  scorer_kind text not null,
  scorer_id text not null,
  scorer_name text not null,
  scorer_version integer,
  rating double precision not null check (rating between 0 and 10),
  threshold double precision,
  -- Null: nothing says what would be too low.
  failing boolean,
  justification text,
  model text,
  given_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- Of one in hand: when its lease ends.
  due_at timestamptz not null default now(),
  leased_by uuid,
  primary key (project_id, verdict_id)
);
create unique index verdict_exports_place on monitor.verdict_exports (place);

alter table monitor.verdict_exports enable row level security;
alter table monitor.verdict_exports force row level security;
create policy app_scope on monitor.verdict_exports to touchstone_monitor_app
  using (project_id = any ((select monitor.projects())::uuid[]))
  with check (project_id = any ((select monitor.projects())::uuid[]));
create policy maintenance_all on monitor.verdict_exports to touchstone_monitor_maintenance using (true) with check (true);
grant select, insert on monitor.verdict_exports to touchstone_monitor_app;
grant select, insert, update, delete on monitor.verdict_exports to touchstone_monitor_maintenance;
