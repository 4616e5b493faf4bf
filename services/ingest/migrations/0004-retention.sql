-- How long traces are kept, and how old ones leave.

-- What a project chose, in days; 0 = for ever. Without a row the installation's setting holds.
create table ingest.retention (
  project_id uuid primary key,
  days       integer not null check (days >= 0)
);
alter table ingest.retention enable row level security;
alter table ingest.retention force row level security;
create policy project_scope on ingest.retention to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.retention to touchstone_ingest_maintenance using (true) with check (true);
grant select, insert, update, delete on ingest.retention to touchstone_ingest_app;
grant select on ingest.retention to touchstone_ingest_maintenance;

-- The descendants of a REST span, for its deletion.
create index spans_rest_children on ingest.spans (project_id, parent_span_id)
  where parent_span_id is not null and flags & 1 = 0;

-- Whether the disk takes a write: tried, and rolled back, after it refused one. Never holds a row.
create table ingest.write_probe (body bytea not null);
alter table ingest.write_probe alter column body set storage external;
grant insert on ingest.write_probe to touchstone_ingest_maintenance;

-- The weekly partitions that hold nothing of a day or later, oldest first.
create function ingest.list_span_weeks(before_day date) returns table (week_start date)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select week_start
  from (
    select to_date(substring(relname from '^spans_(\d{4}w\d\d)$'), 'IYYY"w"IW') as week_start
    from pg_inherits
    join pg_class on pg_class.oid = inhrelid
    where inhparent = 'ingest.spans'::regclass
  ) weeks
  where week_start + 7 <= before_day
  order by week_start
$$;

-- Takes a week out of the table of spans, under another name: from here on its rows are gone, and the week may begin
-- anew. What else is stored of them is cleared by keys read from the detached table. Null when the week is not there.
-- Short of patience like make_spans_partition, and for the same reason; the caller tries again.
create function ingest.detach_spans_partition(week_start date) returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  partition_name text := 'spans_' || to_char(week_start, 'IYYY"w"IW');
  partition_id oid;
  gone_name text;
begin
  perform pg_advisory_xact_lock(hashtext('touchstone ingest partitions'));
  lock table only ingest.spans in access exclusive mode;
  select pg_class.oid into partition_id
  from pg_inherits
  join pg_class on pg_class.oid = inhrelid
  where inhparent = 'ingest.spans'::regclass and relname = partition_name;
  if partition_id is null then
    return null;
  end if;
  gone_name := format('gone_%s_%s', partition_name, partition_id);
  execute format('alter table ingest.spans detach partition ingest.%I', partition_name);
  execute format('alter table ingest.%I rename to %I', partition_name, gone_name);
  execute format('grant select on ingest.%I to touchstone_ingest_maintenance', gone_name);
  return gone_name;
end
$$;

-- The detached weeks that are still there.
create function ingest.list_detached_spans() returns table (name text)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select relname::text
  from pg_class
  where relnamespace = 'ingest'::regnamespace and relkind = 'r' and relname ~ '^gone_spans_\d{4}w\d\d_\d+$'
  order by relname
$$;

-- Drops one of them. False when it is not there.
create function ingest.drop_detached_spans(detached text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
begin
  if detached not in (select name from ingest.list_detached_spans()) then
    return false;
  end if;
  execute format('drop table if exists ingest.%I', detached);
  return true;
end
$$;

-- Drops the pieces of the search text that are behind the newest one and empty. Every number below the sequence that is
-- not in the table was given up: whoever holds one holds a lock on the table too. Answers how many.
create function ingest.drop_empty_search_pieces() returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  piece record;
  is_empty boolean;
  next_seq bigint;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('touchstone ingest search pieces'));
  execute format('select last_value from %s', pg_get_serial_sequence('ingest.search_docs', 'seq')) into next_seq;
  for piece in
    select pg_class.oid::regclass as name
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'ingest.search_docs'::regclass
      and substring(pg_get_expr(relpartbound, pg_class.oid) from $re$TO \('?(\d+)'?\)$re$)::bigint <= next_seq
  loop
    execute format('select not exists (select from %s)', piece.name) into is_empty;
    continue when not is_empty;
    lock table only ingest.search_docs in access exclusive mode;
    execute format('select not exists (select from %s)', piece.name) into is_empty;
    if is_empty then
      execute format('drop table %s', piece.name);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end
$$;

do $$
declare
  routine text;
begin
  foreach routine in array array[
    'list_span_weeks(date)', 'detach_spans_partition(date)', 'list_detached_spans()', 'drop_detached_spans(text)',
    'drop_empty_search_pieces()'
  ] loop
    execute format('revoke all on function ingest.%s from public', routine);
    execute format('grant execute on function ingest.%s to touchstone_ingest_maintenance', routine);
  end loop;
end
$$;
