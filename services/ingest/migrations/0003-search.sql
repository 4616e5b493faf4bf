-- Search, list filters, the live tail's horizon and prices.

-- Kept uncompressed and, up to 8 kB, inside the row: a term that no index helps with is looked for in every text.
alter table ingest.search_docs alter column doc set storage external;

-- Makes the piece that begins at a multiple of 4096. False when it is there.
create or replace function ingest.make_search_piece(first_seq bigint) returns boolean
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
  execute format(
    'create table ingest.%I (like ingest.search_docs including defaults including storage) with (toast_tuple_target = 8160)',
    piece_name
  );
  execute format(
    'alter table ingest.search_docs attach partition ingest.%I for values from (%s) to (%s)',
    piece_name, first_seq, first_seq + 4096
  );
  return true;
end
$$;

do $$
declare
  piece regclass;
begin
  for piece in select inhrelid::regclass from pg_inherits where inhparent = 'ingest.search_docs'::regclass loop
    execute format('alter table %s alter column doc set storage external', piece);
    execute format('alter table %s set (toast_tuple_target = 8160)', piece);
  end loop;
end
$$;

-- The pieces in order of their numbers, with whether their text is indexed.
create function ingest.search_pieces() returns table (piece text, first_seq bigint, end_seq bigint, is_indexed boolean)
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select
    child.relname::text,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), $re$FROM \('?(\d+)'?\)$re$))[1]::bigint as first_seq,
    (regexp_match(pg_get_expr(child.relpartbound, child.oid), $re$TO \('?(\d+)'?\)$re$))[1]::bigint,
    exists (
      select
      from pg_index
      join pg_class index_class on index_class.oid = pg_index.indexrelid
      join pg_am on pg_am.oid = index_class.relam
      where pg_index.indrelid = child.oid and pg_am.amname = 'gin' and pg_index.indisvalid
    )
  from pg_inherits
  join pg_class child on child.oid = pg_inherits.inhrelid
  where pg_inherits.inhparent = 'ingest.search_docs'::regclass
  order by first_seq
$$;

-- Transactions that build and copy pieces. They store no new text, so the live tail need not wait for them.
create table ingest.search_builders (
  xid xid8 primary key
);

-- Builds the trigram index of a piece that is full. Fails with lock_not_available while its last writers are at work.
create function ingest.index_search_piece(piece text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
set maintenance_work_mem = '128MB'
as $$
begin
  if not exists (select from ingest.search_pieces() known where known.piece = index_search_piece.piece and not is_indexed) then
    return;
  end if;
  -- The extension may have been put into any schema.
  execute format(
    'create index %I on ingest.%I using gin (project_id, doc %I.gin_trgm_ops) with (fastupdate = off)',
    piece || '_doc', piece,
    (select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm')
  );
  execute format('analyze ingest.%I', piece);
end
$$;

-- Every search looks into every index, so full neighbours become one piece, in three transactions: copied and indexed out
-- of sight, put in their place, dropped. What changes between the first two is noted, so that the second, which keeps
-- everybody away, is short.
create table ingest.search_copies (
  copy_name text primary key,
  -- What was stored by transactions from here on may be missing in the copy.
  since_xid xid8 not null
);
create table ingest.search_removals (
  seq bigint not null
);

create function ingest.note_search_removal() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from ingest.search_copies) then
    insert into ingest.search_removals (seq) values (old.seq);
  end if;
  return null;
end
$$;
create trigger note_removal after delete on ingest.search_docs
  for each row execute function ingest.note_search_removal();

-- Drops what was taken out of the table, and copies that were never put in.
create function ingest.drop_detached_pieces() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  detached regclass;
begin
  for detached in
    select pg_class.oid
    from pg_class
    where relnamespace = 'ingest'::regnamespace and relkind = 'r' and relname ~ '^search_docs_\d+(_\d+)?$'
      and not exists (select from pg_inherits where inhrelid = pg_class.oid)
  loop
    execute format('drop table %s', detached);
  end loop;
  delete from ingest.search_copies;
  delete from ingest.search_removals;
end
$$;

-- Says that a copy will be made. Its own transaction: whoever removes a text from then on notes it.
create function ingest.announce_search_copy(first_seq bigint, beyond_seq bigint) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform ingest.drop_detached_pieces();
  insert into ingest.search_copies (copy_name, since_xid)
  values (format('search_docs_%s_%s', first_seq, beyond_seq), pg_snapshot_xmin(pg_current_snapshot()));
end
$$;

-- Waits for nobody: a removal that did not see the announcement may still be under way, so the caller makes sure that
-- whatever ran then has ended.
create function ingest.copy_search_pieces(first_seq bigint, beyond_seq bigint) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set maintenance_work_mem = '128MB'
as $$
declare
  copy_name text := format('search_docs_%s_%s', first_seq, beyond_seq);
begin
  execute format(
    'create table ingest.%I (
       like ingest.search_docs including defaults including storage,
       check (seq >= %s and seq < %s)
     ) with (toast_tuple_target = 8160)', copy_name, first_seq, beyond_seq
  );
  execute format(
    'insert into ingest.%I (project_id, id, seq, xid, doc)
     select project_id, id, seq, xid, doc from ingest.search_docs where seq >= %s and seq < %s order by seq',
    copy_name, first_seq, beyond_seq
  );
  -- The first two are like those of the table, so that attaching adopts them; the third is for the swap.
  execute format('create index on ingest.%I (project_id, id desc)', copy_name);
  execute format('create index on ingest.%I (xid)', copy_name);
  execute format('create index on ingest.%I (seq)', copy_name);
  execute format(
    'create index %I on ingest.%I using gin (project_id, doc %I.gin_trgm_ops) with (fastupdate = off)',
    copy_name || '_doc', copy_name,
    (select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm')
  );
  execute format('analyze ingest.%I', copy_name);
end
$$;

-- Puts the copy in the place of its pieces. Whoever reads by a snapshot from before the copy was committed would miss
-- its rows: the caller waits longer than any search may take. False when there is no such copy any more.
create function ingest.swap_search_pieces(first_seq bigint, beyond_seq bigint) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  swapped text := format('search_docs_%s_%s', first_seq, beyond_seq);
  since xid8 := (select since_xid from ingest.search_copies where copy_name = swapped);
  old_piece text;
begin
  if since is null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtext('touchstone ingest search pieces'));
  lock table only ingest.search_docs in access exclusive mode;
  execute format('delete from ingest.%I where seq in (select seq from ingest.search_removals)', swapped);
  -- A transaction that had its number early and stored its text late; texts are never changed in place.
  execute format(
    'insert into ingest.%1$I (project_id, id, seq, xid, doc)
     select project_id, id, seq, xid, doc
     from ingest.search_docs docs
     where docs.xid >= $1 and docs.seq >= %2$s and docs.seq < %3$s
       and not exists (select from ingest.%1$I copied where copied.seq = docs.seq)',
    swapped, first_seq, beyond_seq
  ) using since;
  for old_piece in
    select piece from ingest.search_pieces() known
    where known.first_seq >= swap_search_pieces.first_seq and known.end_seq <= swap_search_pieces.beyond_seq
  loop
    execute format('alter table ingest.search_docs detach partition ingest.%I', old_piece);
  end loop;
  execute format(
    'alter table ingest.search_docs attach partition ingest.%I for values from (%s) to (%s)',
    swapped, first_seq, beyond_seq
  );
  delete from ingest.search_copies;
  return true;
end
$$;

-- No transaction below it will store a text any more, and everything below it is visible.
create function ingest.tail_horizon() returns xid8
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (
      select min(running)
      from pg_snapshot_xip(pg_current_snapshot()) running
      where running not in (select xid from ingest.search_builders)
    ),
    pg_snapshot_xmax(pg_current_snapshot())
  )
$$;

create index spans_error_list on ingest.spans (project_id, id desc) where is_root and has_error;
-- Also finds the models of a project one by one.
create index spans_model on ingest.spans (project_id, model, is_root, id desc) where model is not null;

-- Root traces of the one project of the transaction whose text is LIKE the pattern (`%term%`): how many there are, and of those
-- below `before` the newest, up to `ids_max`. Every other argument narrows both where it is not null.
--
-- LIKE is not leakproof, so under row-level security no index would serve it. This function runs as the owner, whose
-- policies below hide nothing, and takes the project from the setting that the other policies read, never from its
-- caller. Stable: both answers are of the caller's snapshot.
--
-- A word with few hits is found by its trigrams, all hits at once. The page of a common one is found by walking from
-- the newest down.
create function ingest.find_roots(
  pattern text,
  before uuid,
  ids_max integer,
  from_id uuid,
  below_id uuid,
  of_framework text,
  of_source text,
  of_agent uuid,
  of_session text,
  of_trace_key uuid,
  of_model text,
  of_error boolean
) returns table (total bigint, ids uuid[])
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  project uuid := (ingest.projects())[1];
  few constant integer := 2000;
  walked constant integer := 50000;
  term text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\(.)', '\1', 'g');
  matches text := 'docs.doc like $2';
  joined text := '';
  hits text;
begin
  if project is null then
    return query select 0::bigint, '{}'::uuid[];
    return;
  end if;
  if length(term) < 3 then
    -- It has no trigram: reading every text is cheaper than looking into the indexes first.
    matches := 'strpos(docs.doc, $2) > 0';
    pattern := term;
  end if;
  if num_nonnulls(of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error) > 0 then
    joined := '
      join ingest.spans on spans.project_id = $1 and spans.id = docs.id and spans.is_root
        and ($5 is null or spans.framework = $5)
        and ($6 is null or coalesce(spans.source, '''') = $6)
        and ($7 is null or spans.agent_id = $7)
        and ($8 is null or spans.session_id = $8
          or (spans.session_id is null and spans.trace_key = $9 and spans.flags & 1 <> 0))
        and ($10 is null or spans.model = $10)
        and ($11 is null or spans.has_error = $11)';
  end if;
  hits := format('
    select docs.id
    from ingest.search_docs docs%s
    where docs.project_id = $1 and %s
      and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)', joined, matches);

  execute format('select count(*), array_agg(id) from (%s limit %s) hits', hits, few + 1)
  into total, ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error;
  if total <= few then
    ids := array(select id from unnest(ids) id where before is null or id < before order by id desc limit ids_max);
    return next;
    return;
  end if;

  execute format('select count(*) from (%s) hits', hits)
  into total
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error;
  execute format('
    select array(
      select docs.id
      from (
        select id, doc
        from ingest.search_docs
        where project_id = $1 and ($3 is null or id >= $3) and ($4 is null or id < $4) and ($12 is null or id < $12)
        order by id desc
        limit %s
      ) docs%s
      where %s
      order by docs.id desc
      limit $13
    )', walked, joined, matches)
  into ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max;
  if cardinality(ids) < ids_max then
    execute format('
      with hits as materialized (%s)
      select array(select id from hits where $12 is null or id < $12 order by id desc limit $13)', hits)
    into ids
    using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
      before, ids_max;
  end if;
  return next;
end
$$;

create policy definer_reads on ingest.search_docs for select to touchstone_ingest_owner using (true);
create policy definer_reads on ingest.spans for select to touchstone_ingest_owner using (true);

-- Prices of models (completions 11.1), USD per million tokens: what a project added to the built-in catalogue or
-- changed in it. `is_removed`: the built-in model is not part of this project's catalogue.
create table ingest.model_prices (
  project_id        uuid not null,
  model             text not null,
  provider          text not null,
  label             text not null,
  input_price       double precision not null,
  output_price      double precision not null,
  cache_read_price  double precision,
  cache_write_price double precision,
  is_removed        boolean not null default false,
  primary key (project_id, model)
);
alter table ingest.model_prices enable row level security;
alter table ingest.model_prices force row level security;
create policy project_scope on ingest.model_prices to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.model_prices to touchstone_ingest_maintenance using (true) with check (true);

-- A client asked for this agent: it stays when no root refers to it.
alter table ingest.agents add column is_requested boolean not null default false;

grant select, insert, update, delete on ingest.model_prices to touchstone_ingest_app, touchstone_ingest_maintenance;
grant select on ingest.search_builders to touchstone_ingest_app;
grant select, insert, delete on ingest.search_builders to touchstone_ingest_maintenance;
grant select on sequence ingest.search_docs_seq_seq to touchstone_ingest_app, touchstone_ingest_maintenance;

revoke all on function ingest.find_roots(text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean)
  from public;
grant execute on function ingest.find_roots(text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean)
  to touchstone_ingest_app;
revoke all on function ingest.index_search_piece(text) from public;
revoke all on function ingest.drop_detached_pieces() from public;
revoke all on function ingest.announce_search_copy(bigint, bigint) from public;
revoke all on function ingest.copy_search_pieces(bigint, bigint) from public;
revoke all on function ingest.swap_search_pieces(bigint, bigint) from public;
grant execute on function ingest.index_search_piece(text), ingest.drop_detached_pieces(),
  ingest.announce_search_copy(bigint, bigint), ingest.copy_search_pieces(bigint, bigint),
  ingest.swap_search_pieces(bigint, bigint) to touchstone_ingest_maintenance;
