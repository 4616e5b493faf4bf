-- What the spans of one trace add to one another, the text that search reads, and what a project used today.

-- Ids are unique within a project: an import brings the ids it was exported with.
alter table ingest.spans drop constraint spans_pkey;
alter table ingest.spans add primary key (project_id, id);

-- Columns show what is shown; `facts` keeps what the span itself said (OTLP only), so that what a trace derives can be
-- derived again when more of it arrives. `derived` (JSON) is what reading adds from other rows; see src/trees.
alter table ingest.spans drop column tool_summary;
alter table ingest.spans add column facts text;
alter table ingest.spans add column derived text;
create index spans_response on ingest.spans (project_id, response_id) where response_id is not null;
create index spans_agent_list on ingest.spans (project_id, agent_id, id desc) where is_root and agent_id is not null;

-- An OTel trace: what is true of all its spans, and when the sweeper has to look at it again.
create table ingest.traces (
  project_id uuid not null,
  trace_key  uuid not null,
  -- That any of its spans stated; null = its own id names its session.
  session_id text,
  -- User, environment and tags that any of its spans stated (JSON), shown on those that stated none.
  shared     text,
  -- The agent of its earliest root, shown on its other spans.
  agent_id   uuid,
  span_count integer not null default 0,
  -- Derived values are behind (a very large trace is derived at most once a second).
  is_stale   boolean not null default false,
  -- Null: nothing to do.
  due_at     timestamptz,
  primary key (project_id, trace_key)
) with (fillfactor = 70);
create index traces_due on ingest.traces (due_at) where due_at is not null;
create index traces_session on ingest.traces (project_id, session_id) where session_id is not null;

-- REST children and the identity (`span_keys.dk`) of the parent they name. One whose parent does not come is promoted;
-- the parent that comes after that makes its children due at once.
create table ingest.awaited_parents (
  project_id uuid not null,
  dk         uuid not null,
  child_id   uuid not null,
  due_at     timestamptz not null,
  primary key (project_id, dk, child_id)
);
create index awaited_parents_due on ingest.awaited_parents (due_at);

-- Makes the children that wait for these spans due. A function of its own, so that the policy of the table is not
-- evaluated before the statement that calls it has set its projects.
create function ingest.announce_parents(project_ids uuid[], dks uuid[]) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  announced bigint;
begin
  update ingest.awaited_parents waiting
  set due_at = now()
  from unnest(project_ids, dks) as arrived (project_id, dk)
  where waiting.project_id = arrived.project_id and waiting.dk = arrived.dk;
  get diagnostics announced = row_count;
  return announced;
end
$$;

-- An agent that registered itself and that a root gave up: removed when no root refers to it.
alter table ingest.agents add column doubted_at timestamptz;
create index agents_doubted on ingest.agents (doubted_at) where doubted_at is not null;

-- What log records say of spans (otlp 7). They may come before their span and live as long as their trace.
create table ingest.log_fragments (
  project_id  uuid not null,
  -- A hash of all it says: a record sent again is stored once.
  dk          uuid not null,
  -- Null: the record knows only the response it belongs to.
  trace_key   uuid,
  span_id     text,
  response_id text,
  time_nano   numeric(20) not null,
  received_at timestamptz not null default now(),
  -- What it can give to its span (JSON; see src/trees), then the content.
  facts       text not null,
  body        bytea not null,
  primary key (project_id, dk)
);
alter table ingest.log_fragments alter column body set storage external;
create index log_fragments_trace on ingest.log_fragments (project_id, trace_key) where trace_key is not null;
create index log_fragments_response on ingest.log_fragments (project_id, response_id)
  where trace_key is null and response_id is not null;
create index log_fragments_recent on ingest.log_fragments (received_at) where trace_key is null;

-- Serialises whoever adds to, derives or deletes the same traces, in an order that cannot make a circle. Its statement
-- must come before the one that reads: that one then sees everything committed under the lock. The server holds some
-- thousand locks in all, so whoever needs very many takes the one that all others share.
create function ingest.lock_traces(project_ids uuid[], trace_keys uuid[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(trace_keys) > 1000 then
    perform pg_advisory_xact_lock(hashtextextended('touchstone ingest traces', 0));
    return;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('touchstone ingest traces', 0));
  perform pg_advisory_xact_lock(hash)
  from (
    select distinct hashtextextended(project_id::text || trace_key::text, 0) as hash
    from unnest(project_ids, trace_keys) as wanted (project_id, trace_key)
    order by hash
  ) locks;
end
$$;

-- The text of each root that search reads, lower-cased, written with the root and not indexed there. `seq` cuts the table
-- into pieces. A root whose text changes gets a new row. (xid, seq) is an order in which nothing appears late below the
-- oldest running transaction: the live tail follows it.
create table ingest.search_docs (
  project_id uuid not null,
  id         uuid not null,
  seq        bigint generated always as identity,
  xid        xid8 not null default pg_current_xact_id(),
  doc        text not null
) partition by range (seq);
create index search_docs_root on ingest.search_docs (project_id, id desc);
create index search_docs_tail on ingest.search_docs (xid);

-- Makes the piece that begins at a multiple of 4096. False when it is there.
create function ingest.make_search_piece(first_seq bigint) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  piece_name text := 'search_docs_' || first_seq;
begin
  if first_seq < 0 or first_seq % 4096 <> 0 then
    raise exception 'a search piece begins at a multiple of 4096, not at %', first_seq;
  end if;
  perform pg_advisory_xact_lock(hashtext('touchstone ingest search pieces'));
  if exists (select from pg_class where relname = piece_name and relnamespace = 'ingest'::regnamespace) then
    return false;
  end if;
  -- See make_spans_partition for the strength of the lock.
  lock table only ingest.search_docs in access exclusive mode;
  execute format('create table ingest.%I (like ingest.search_docs including defaults including storage)', piece_name);
  execute format(
    'alter table ingest.search_docs attach partition ingest.%I for values from (%s) to (%s)',
    piece_name, first_seq, first_seq + 4096
  );
  return true;
end
$$;

-- Root traces a project stored on a day (UTC, of receipt, by this clock): the daily quota. Writers count on shards of
-- their own while there is no quota, and all on shard 0 while there is one.
create table ingest.trace_usage (
  project_id uuid not null,
  day        date not null,
  shard      smallint not null,
  n          bigint not null,
  primary key (project_id, day, shard)
) with (fillfactor = 50);

-- Aborts the statement when what shard 0 now holds, with the other shards, is over the quota. Null = no quota.
create function ingest.require_quota(of_project uuid, of_day date, counted bigint, quota bigint) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if quota is not null and counted + coalesce(
    (select sum(n) from ingest.trace_usage where project_id = of_project and day = of_day and shard <> 0), 0
  ) > quota then
    raise exception using errcode = 'TSQ01', message = 'the daily trace quota is spent', detail = of_project::text;
  end if;
  return true;
end
$$;

do $$
declare
  scoped text;
begin
  foreach scoped in array array['traces', 'awaited_parents', 'log_fragments', 'search_docs', 'trace_usage'] loop
    execute format('alter table ingest.%I enable row level security', scoped);
    execute format('alter table ingest.%I force row level security', scoped);
    execute format(
      'create policy project_scope on ingest.%I to touchstone_ingest_app
         using (project_id = any ((select ingest.projects())::uuid[]))
         with check (project_id = any ((select ingest.projects())::uuid[]))', scoped);
    execute format(
      'create policy every_project on ingest.%I to touchstone_ingest_maintenance using (true) with check (true)', scoped);
  end loop;
end
$$;

-- Deriving and deleting change rows of a project under its own scope.
grant update, delete on ingest.spans, ingest.span_keys, ingest.agents to touchstone_ingest_app;
grant delete on ingest.root_counts to touchstone_ingest_app;
grant select, insert, update, delete
  on ingest.traces, ingest.awaited_parents, ingest.log_fragments, ingest.search_docs, ingest.trace_usage
  to touchstone_ingest_app, touchstone_ingest_maintenance;
revoke all on function ingest.make_search_piece(bigint) from public;
grant execute on function ingest.make_search_piece(bigint) to touchstone_ingest_maintenance;

do $$ begin
  for piece in 0..7 loop
    perform ingest.make_search_piece(piece * 4096);
  end loop;
end $$;
