-- What carrying out live checks needs besides the tables of 0004.

-- The projects of a scope pass through here: a deleted one is refused (decision 24).
create or replace function monitor.open_projects(projects text) returns text
language plpgsql
as $$
begin
  if exists (
    select from monitor.deleted_projects
    where project_id = any (string_to_array(nullif(projects, ''), ',')::uuid[])
  ) then
    raise exception using errcode = 'TSD01', message = 'the project was deleted';
  end if;
  return projects;
end
$$;

-- Workers go from project to project, and take the oldest checks of each: one with a long backlog delays no other.
-- `due_at` of a check in hand is when its lease ends, so that what may be taken is one range of this index.
create index checks_due_of_project on monitor.checks (project_id, due_at, id) where settled_at is null;
drop index monitor.checks_due;

-- The shortest idle time of the project's enabled scorers of sessions; null: it has none.
alter table monitor.live_scorers add column session_idle_seconds integer;
create index live_scorers_of_sessions on monitor.live_scorers (project_id) where session_idle_seconds is not null;

-- What is known of a session from its traces that settled.
create table monitor.sessions (
  project_id uuid not null,
  session_id text not null,
  -- Of the newest trace.
  agent_id uuid,
  -- How many traces of it settled: the round that it is judged in.
  activity integer not null,
  last_trace_at timestamptz not null,
  active_at timestamptz not null,
  -- When it may be due for a scorer; null: nothing is left to judge until it is active again.
  look_at timestamptz,
  primary key (project_id, session_id)
);
create index sessions_to_look_at on monitor.sessions (project_id, look_at) where look_at is not null;
create index sessions_active_at on monitor.sessions (active_at);

-- What a live scorer said of a session, once for each round.
create table monitor.session_scores (
  project_id uuid not null,
  id uuid not null,
  session_id text not null,
  -- online-eval:<id> or scorer-group:<id>
  scorer_key text not null,
  round integer not null,
  scorer_name text not null,
  rating double precision not null check (rating between 0 and 10),
  threshold double precision,
  justification text,
  span_count integer not null,
  model text,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  unique (project_id, session_id, scorer_key, round)
);

-- Which replica does what is done by one at a time.
create table monitor.leases (
  name text primary key,
  ends_at timestamptz not null
);
grant select, insert, update on monitor.leases to touchstone_monitor_maintenance;

-- An event stays in the outbox after it was published, until its consumers have acknowledged it.
alter table monitor.outbox
  -- Which event store took the event, and its place there. Null: it is to be published.
  add column published_into text collate "C",
  add column published_seq bigint;
create index outbox_unpublished on monitor.outbox (id) where published_seq is null;
create index outbox_published on monitor.outbox (published_into, published_seq) where published_seq is not null;
grant update on monitor.outbox to touchstone_monitor_maintenance;

do $$
declare
  name text;
begin
  foreach name in array array['sessions', 'session_scores'] loop
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
