-- Spans, their identities, agents, counters and the outbox.
--
-- A trace is a root span. Ids are UUIDs version 7 made by the service; the milliseconds in them are `created_at`. So id
-- order is list order, an id names its partition, and a cursor needs no look-up.

create table if not exists ingest.spans (
  project_id     uuid not null,
  id             uuid not null,
  -- What makes a replay recognisable: a hash of producer, trace id and span id. Null: the sender gave no identity.
  dk             uuid,
  -- Spans of one tree share it: the OTel trace id, or a hash of the REST session or parent. Null: a lone span.
  trace_key      uuid,
  span_id        text,
  parent_span_id text,
  -- Alone defines what is listed and counted.
  is_root        boolean not null,
  created_at     timestamptz not null,
  started_at     timestamptz,
  ended_at       timestamptz,
  -- What the sender stated. Without it an OTel span belongs to the session named like its trace.
  session_id     text,
  agent_id       uuid,
  name           text not null,
  kind           text not null,
  framework      text,
  -- 'eval-run', or null for production traffic.
  source         text,
  model          text,
  has_error      boolean not null,
  latency_ms     double precision,
  -- Input, output, cache read, cache write, reasoning; an absent count is null. Own: as sent. Agg: with descendants.
  own_tokens     double precision[],
  agg_tokens     double precision[],
  tool_summary   text,
  response_id    text,
  -- 1: came over OTLP. 2: its parent lives in another process.
  flags          smallint not null default 0,
  -- Byte 0 is the codec (0 as it is, 1 zstd), then the JSON text of input, output and so on, never parsed here.
  body           bytea not null,
  primary key (id)
) partition by range (id);

-- The body is compressed by the service where that helps; pglz on top would cost time and gain nothing.
alter table ingest.spans alter column body set storage external;

create index if not exists spans_list on ingest.spans (project_id, id desc) where is_root;
create index if not exists spans_framework_list on ingest.spans (project_id, framework, id desc)
  where is_root and framework is not null;
create index if not exists spans_source_list on ingest.spans (project_id, source, id desc)
  where is_root and source is not null;
create index if not exists spans_session on ingest.spans (project_id, session_id, id) where session_id is not null;
create index if not exists spans_trace on ingest.spans (project_id, trace_key) where trace_key is not null;
create index if not exists spans_orphans on ingest.spans (project_id, trace_key, parent_span_id)
  where parent_span_id is not null and is_root;

-- The first id of a day (UTC).
create or replace function ingest.first_span_id(day date) returns uuid
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select (lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || '00000000000000000000')::uuid
$$;

-- What is older than this system's kind of traffic shares one partition: a producer that sends milliseconds for
-- nanoseconds dates its spans into 1970 and must not cost a partition for each week since.
create table if not exists ingest.spans_before_2020 partition of ingest.spans
  for values from (minvalue) to (ingest.first_span_id(date '2019-12-30'));

-- Makes the partition of the ISO week (UTC) that holds a day. False when it is there already.
--
-- It locks the table against everybody for the moment of the attach. With the weaker lock that attach itself takes, a
-- session that was just reading the list of partitions can keep the old list for good (seen once in some 500 attaches
-- under load, PostgreSQL 18.4): it refuses the week's rows, and would read past them. The short lock_timeout bounds how
-- long others queue up behind a lock that a long query keeps us from getting; the caller tries again.
create or replace function ingest.make_spans_partition(day date) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  week_start date := day - (extract(isodow from day)::integer - 1);
  partition_name text := 'spans_' || to_char(week_start, 'IYYY"w"IW');
begin
  if week_start < date '2019-12-30' then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('touchstone ingest partitions'));
  -- Not to_regclass: it would answer from this session's cache, as of before the wait.
  if exists (select from pg_class where relname = partition_name and relnamespace = 'ingest'::regnamespace) then
    return false;
  end if;
  lock table only ingest.spans in access exclusive mode;
  execute format('create table ingest.%I (like ingest.spans including defaults including storage)', partition_name);
  execute format(
    'alter table ingest.spans attach partition ingest.%I for values from (%L) to (%L)',
    partition_name, ingest.first_span_id(week_start), ingest.first_span_id(week_start + 7)
  );
  return true;
end
$$;

-- Which row holds a span identity. It lives exactly as long as that row, so a replay is recognised however late.
create table if not exists ingest.span_keys (
  project_id uuid not null,
  dk         uuid not null,
  id         uuid not null,
  primary key (project_id, dk)
);

-- name_key is a hash of project and name. An agent registered by its first trace has it as its id, so that concurrent
-- first traces agree and one name registers itself once. (An index on the name itself could not hold a long one.)
create table if not exists ingest.agents (
  project_id uuid not null,
  id         uuid not null,
  name_key   uuid not null,
  name       text not null,
  created_at timestamptz not null default now(),
  primary key (project_id, id)
);
create index if not exists agents_by_name on ingest.agents (project_id, name_key, created_at, id);

-- Root spans by day (UTC, of created_at), framework and source ('' = none): kept in the transaction that makes or
-- unmakes a root, so their sum is exact. `shard` is the writer's, so that writers do not wait for one another's row.
create table if not exists ingest.root_counts (
  project_id uuid not null,
  day        date not null,
  framework  text not null,
  source     text not null,
  shard      smallint not null,
  n          bigint not null,
  primary key (project_id, day, framework, source, shard)
) with (fillfactor = 50);

-- Events committed with their data, waiting for the relay. It empties itself all the time: vacuum it by rows, not share.
create table if not exists ingest.outbox (
  id      bigint generated always as identity primary key,
  subject text not null,
  body    text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Who of several replicas does the background work.
create table if not exists ingest.leases (
  name       text primary key,
  holder     text not null,
  expires_at timestamptz not null
) with (fillfactor = 50);

-- The projects of the transaction. An unset setting, and one that was set in an earlier transaction, give none.
create or replace function ingest.projects() returns uuid[]
language sql
stable
set search_path = pg_catalog, pg_temp
as $$ select string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[] $$;

do $$
declare
  scoped text;
begin
  foreach scoped in array array['spans', 'span_keys', 'agents', 'root_counts'] loop
    execute format('alter table ingest.%I enable row level security', scoped);
    execute format('alter table ingest.%I force row level security', scoped);
    execute format('drop policy if exists project_scope on ingest.%I', scoped);
    execute format('drop policy if exists every_project on ingest.%I', scoped);
    execute format(
      'create policy project_scope on ingest.%I to touchstone_ingest_app
         using (project_id = any ((select ingest.projects())::uuid[]))
         with check (project_id = any ((select ingest.projects())::uuid[]))', scoped);
    execute format(
      'create policy every_project on ingest.%I to touchstone_ingest_maintenance using (true) with check (true)', scoped);
  end loop;
end
$$;

grant usage on schema ingest to touchstone_ingest_app, touchstone_ingest_maintenance;
grant select, insert on ingest.spans, ingest.span_keys, ingest.agents to touchstone_ingest_app;
grant select, insert, update on ingest.root_counts to touchstone_ingest_app;
grant insert on ingest.outbox to touchstone_ingest_app;
grant select, insert, update, delete
  on ingest.spans, ingest.span_keys, ingest.agents, ingest.root_counts, ingest.outbox, ingest.leases
  to touchstone_ingest_maintenance;
revoke all on function ingest.make_spans_partition(date) from public;
grant execute on function ingest.make_spans_partition(date) to touchstone_ingest_maintenance;
