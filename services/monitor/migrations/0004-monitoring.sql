-- What live monitoring shares: the traces it saw, the checks that are due, what they found, and what the scorers said.

alter table monitor.seen_traces
  add column session_id text,
  add column framework text,
  add column model text,
  add column latency_ms double precision,
  add column has_error boolean,
  add column failed_tools text[],
  add column tool_calls integer,
  -- Null: it has not settled.
  add column settled_at timestamptz,
  -- healthy-response, or what the operational classification found (completions 9.3).
  add column operational_class text;

-- Kept by eval-runs and told as a whole: the greatest revision is what is in force.
create table monitor.live_scorers (
  project_id uuid primary key,
  revision bigint not null,
  document json not null,
  updated_at timestamptz not null default now()
);

-- Checks that are due, one row for each trace (or session, at one point of it) and check, written with the event that
-- asks for it. A worker takes a row under a lease and settles it in one transaction with what it found: whatever dies
-- is taken over, and what was found is written once.
create table monitor.checks (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  -- patterns, judge, group, custom, topic
  kind text not null,
  -- Whose check: a scorer's or group's id. Empty where the kind alone says it.
  scorer_id text not null default '',
  -- A trace's id, or a session's.
  subject_id text not null,
  -- Counts the times a session was judged; 0 for a trace.
  round integer not null default 0,
  -- What was decided when the check was planned, and is needed to carry it out.
  plan json not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  -- Null: nobody has it in hand.
  leased_by uuid,
  lease_ends_at timestamptz,
  created_at timestamptz not null default now(),
  -- Null: it is due.
  settled_at timestamptz,
  -- done, skipped, or given-up with the reason.
  outcome text,
  reason text,
  unique (project_id, kind, scorer_id, subject_id, round)
);
create index checks_due on monitor.checks (due_at) where settled_at is null;
create index checks_settled on monitor.checks (settled_at) where settled_at is not null;

-- What was found in one trace, by whichever check. A row for each finding; a healthy trace has none.
create table monitor.events (
  project_id uuid not null,
  id uuid not null,
  -- agent-tool-failure:<tool>, agent-trace-error, empty-agent-response, custom:<slug>, a built-in's key,
  -- online-eval:<id>, scorer-group:<id>, custom-scorer:<id>, negative-feedback
  pattern_key text not null,
  kind text not null check (kind in ('operational', 'pattern', 'judge', 'group', 'custom', 'feedback')),
  polarity text not null check (polarity in ('failure', 'proper')),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  agent_id uuid,
  trace_id uuid,
  session_id text,
  rating double precision,
  justification text,
  -- The trace's own time.
  created_at timestamptz not null,
  primary key (project_id, id)
);
-- One finding of a check in a trace, however often the check runs.
create unique index events_once on monitor.events (project_id, pattern_key, trace_id) where kind <> 'feedback';
create index events_newest on monitor.events (project_id, created_at desc, id desc);
create index events_of_key on monitor.events (project_id, pattern_key, created_at desc);

-- What needs a person: one row for each project, finding and agent (completions 9.4).
create table monitor.signals (
  project_id uuid not null,
  id uuid not null,
  pattern_key text not null,
  -- The nil id stands for no agent, so that the key below holds for it too.
  agent_id uuid not null,
  type text not null,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  polarity text not null check (polarity in ('failure', 'proper')),
  status text not null default 'open'
    check (status in ('open', 'reopened', 'in_review', 'resolved', 'archived', 'dismissed')),
  review_status text,
  recommended_actions json,
  summary text not null,
  root_cause text,
  evidence json,
  occurrence_count bigint not null default 0,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, pattern_key, agent_id)
);
create index signals_newest on monitor.signals (project_id, last_seen_at desc, id desc);

create table monitor.signal_occurrences (
  project_id uuid not null,
  signal_id uuid not null,
  id uuid not null,
  trace_id uuid,
  session_id text,
  seen_at timestamptz not null,
  query text,
  response_preview text,
  rating double precision,
  justification text,
  primary key (project_id, signal_id, id),
  foreign key (project_id, signal_id) references monitor.signals (project_id, id) on delete cascade
);
create index signal_occurrences_newest on monitor.signal_occurrences (project_id, signal_id, seen_at desc, id desc);

-- What a live scorer said of a trace: its newest word. `scorer_key` is online-eval:<id>, scorer-group:<id>,
-- custom-scorer:<id>, or external:<name>.
create table monitor.verdicts (
  project_id uuid not null,
  trace_id uuid not null,
  scorer_key text not null,
  id uuid not null,
  scorer_name text not null,
  scorer_version integer,
  is_group boolean not null default false,
  rating double precision not null check (rating between 0 and 10),
  -- Null: it never alerts.
  threshold double precision,
  justification text,
  model text,
  agent_id uuid,
  created_at timestamptz not null,
  primary key (project_id, trace_id, scorer_key)
);
create index verdicts_of_scorer on monitor.verdicts (project_id, scorer_key, created_at desc);

-- How often what is said of a trace has changed, and what it is about.
create table monitor.judged_traces (
  project_id uuid not null,
  trace_id uuid not null,
  revision integer not null,
  topic json,
  updated_at timestamptz not null default now(),
  primary key (project_id, trace_id)
);

-- Live judge calls per project and UTC day (completions 1.4), reserved before they are made.
create table monitor.live_calls (
  project_id uuid not null,
  day date not null,
  used bigint not null default 0,
  primary key (project_id, day)
);

-- Settings of a project and of its agents (completions 9.2): what was sent, merged over the defaults when read.
create table monitor.project_settings (
  project_id uuid primary key,
  document json not null,
  updated_at timestamptz not null
);
create table monitor.profiles (
  project_id uuid not null,
  agent_id uuid not null,
  id uuid not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, agent_id)
);

create table monitor.patterns (
  project_id uuid not null,
  id uuid not null,
  key text not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, key)
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'live_scorers', 'checks', 'events', 'signals', 'signal_occurrences', 'verdicts', 'judged_traces', 'live_calls',
    'project_settings', 'profiles', 'patterns'
  ] loop
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

grant update on monitor.seen_traces to touchstone_monitor_app, touchstone_monitor_maintenance;
grant insert on monitor.outbox to touchstone_monitor_app;
