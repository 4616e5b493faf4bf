-- Searched texts get postings in place of trigram indexes: for each block of texts, the texts in which three consecutive
-- characters of a bucket occur. A service computes them, once for each text (src/search).

create table ingest.search_blocks (
  first_seq bigint primary key,
  end_seq   bigint not null unique
);

-- The places of a block's texts in one bucket, counted from the block's first number.
create table ingest.search_postings (
  first_seq bigint not null,
  bucket    integer not null,
  postings  bytea not null,
  primary key (first_seq, bucket)
);

-- Places say nothing to those who cannot read the texts.
grant select on ingest.search_blocks, ingest.search_postings to touchstone_ingest_app;
grant select, insert, delete on ingest.search_blocks, ingest.search_postings to touchstone_ingest_maintenance;

create index search_docs_seq on ingest.search_docs (seq);

-- Neighbours are not merged any more, since no text has an index to be looked into.
select ingest.drop_detached_pieces();
drop function ingest.index_search_piece(text);
drop function ingest.announce_search_copy(bigint, bigint);
drop function ingest.copy_search_pieces(bigint, bigint);
drop function ingest.swap_search_pieces(bigint, bigint);
drop function ingest.drop_detached_pieces();
drop trigger note_removal on ingest.search_docs;
drop function ingest.note_search_removal();
drop table ingest.search_copies;
drop table ingest.search_removals;

-- Makes the piece that holds a number if there is none: up to the next multiple of 131072, between its neighbours. Returns
-- where the piece ends.
create function ingest.make_search_piece_for(of_seq bigint) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  piece_numbers constant bigint := 131072;
  begins bigint := of_seq / piece_numbers * piece_numbers;
  ends bigint := begins + piece_numbers;
  known record;
begin
  perform pg_advisory_xact_lock(hashtext('touchstone ingest search pieces'));
  for known in select * from ingest.search_pieces() loop
    if known.first_seq <= of_seq and of_seq < known.end_seq then
      return known.end_seq;
    end if;
    if known.end_seq <= of_seq then
      begins := greatest(begins, known.end_seq);
    else
      ends := least(ends, known.first_seq);
    end if;
  end loop;
  -- See make_spans_partition for the strength of the lock.
  lock table only ingest.search_docs in access exclusive mode;
  execute format(
    'create table ingest.%I (like ingest.search_docs including defaults including storage) with (toast_tuple_target = 8160)',
    'search_docs_' || begins
  );
  execute format(
    'alter table ingest.search_docs attach partition ingest.%I for values from (%s) to (%s)',
    'search_docs_' || begins, begins, ends
  );
  return ends;
end
$$;

-- For replicas of the previous version. False when the piece is there.
create or replace function ingest.make_search_piece(first_seq bigint) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
begin
  if exists (
    select
    from ingest.search_pieces() known
    where known.first_seq <= make_search_piece.first_seq and make_search_piece.first_seq < known.end_seq
  ) then
    return false;
  end if;
  perform ingest.make_search_piece_for(make_search_piece.first_seq);
  return true;
end
$$;

-- Drops the trigram indexes of pieces whose texts all have postings.
create function ingest.drop_search_trigrams() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  trigrams text;
begin
  if not exists (select from ingest.search_frontier where first_unindexed > 0) then
    return;
  end if;
  for trigrams in
    select indexes.relname
    from ingest.search_pieces() known
    join pg_class pieces on pieces.relname = known.piece and pieces.relnamespace = 'ingest'::regnamespace
    join pg_index on pg_index.indrelid = pieces.oid
    join pg_class indexes on indexes.oid = pg_index.indexrelid
    join pg_am on pg_am.oid = indexes.relam
    where pg_am.amname = 'gin' and known.end_seq <= (select coalesce(max(end_seq), 0) from ingest.search_blocks)
  loop
    execute format('drop index ingest.%I', trigrams);
  end loop;
  update ingest.search_frontier
  set first_unindexed = coalesce((select max(end_seq) from ingest.search_pieces() where is_indexed), 0);
end
$$;

-- As in 0004, and removes the postings of blocks that have no texts any more.
create or replace function ingest.drop_empty_search_pieces() returns integer
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
  with emptied as (
    delete from ingest.search_blocks blocks
    where not exists (
      select
      from ingest.search_docs docs
      where docs.seq >= blocks.first_seq and docs.seq < blocks.end_seq
    )
    returning first_seq
  )
  delete from ingest.search_postings
  where first_seq in (select first_seq from emptied);
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

revoke all on function ingest.make_search_piece_for(bigint) from public;
grant execute on function ingest.make_search_piece_for(bigint) to touchstone_ingest_maintenance;
revoke all on function ingest.drop_search_trigrams() from public;
grant execute on function ingest.drop_search_trigrams() to touchstone_ingest_maintenance;

-- As in 0015. What has postings is found by its numbers, and a prompt narrows it. A replica of the previous version calls it
-- without them.
drop function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean
);
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
  of_error boolean,
  of_latency double precision default null,
  of_rating_min double precision default null,
  of_rating_max double precision default null,
  of_failing boolean default null,
  among bigint[] default null,
  beyond bigint default null,
  of_prompt text default null,
  of_prompt_version text default null
) returns table (total bigint, ids uuid[])
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = on
as $$
declare
  project uuid := (ingest.projects())[1];
  few constant integer := 2000;
  walked constant integer := 50000;
  term text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\(.)', '\1', 'g');
  -- Every text from here on is read: whatever is below has postings, and "among" what they found.
  read_from bigint := coalesce(beyond, 0);
  -- Up to here texts may have trigrams of an earlier version instead.
  trigrams_end bigint := coalesce((select frontier.first_unindexed from ingest.search_frontier frontier), 0);
  -- The caller's snapshot holds no text with a higher number.
  last_seq bigint := coalesce(pg_sequence_last_value('ingest.search_docs_seq_seq'), 9223372036854775807);
  joined text := '';
  narrowed text := '';
  hits text;
begin
  if project is null then
    return query select 0::bigint, '{}'::uuid[];
    return;
  end if;
  if num_nonnulls(
    of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error, of_latency, of_rating_min, of_rating_max, of_failing,
    of_prompt
  ) > 0 then
    joined := '
      join ingest.spans on spans.project_id = $1 and spans.id = docs.id and spans.is_root
        and ($5 is null or spans.framework = $5)
        and ($6 is null or coalesce(spans.source, '''') = $6)
        and ($7 is null or spans.agent_id = $7)
        and ($8 is null or spans.session_id = $8
          or (spans.session_id is null and spans.trace_key = $9 and spans.flags & 1 <> 0))
        and ($10 is null or spans.model = $10)
        and ($11 is null or spans.has_error = $11)
        and ($15 is null or spans.latency_ms >= $15)
        and ($20 is null or spans.trace_key in (
          select used.trace_key
          from ingest.spans used
          where used.project_id = $1 and used.prompt_name = $20 and ($21 is null or used.prompt_version = $21)
        ))';
    if num_nonnulls(of_rating_min, of_rating_max, of_failing) > 0 then
      joined := joined || '
      left join ingest.trace_verdicts verdicts on verdicts.project_id = $1 and verdicts.trace_id = docs.id';
      narrowed := '
        and ($16 is null or verdicts.rating >= $16)
        and ($17 is null or verdicts.rating <= $17)
        and ($18 is null or (spans.has_error or coalesce(verdicts.is_failing, false)) = $18)';
    end if;
  end if;
  if length(term) < 3 or trigrams_end < read_from then
    trigrams_end := read_from;
  end if;
  hits := format('
    select docs.id
    from ingest.search_docs docs%1$s
    where docs.project_id = $1 and docs.seq >= %2$s and docs.seq <= %3$s and strpos(docs.doc, $14) > 0
      and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)%4$s', joined, trigrams_end, last_seq, narrowed);
  if read_from < trigrams_end then
    hits := hits || format('
      union all
      select docs.id
      from ingest.search_docs docs%1$s
      where docs.project_id = $1 and docs.seq >= %2$s and docs.seq < %3$s and docs.doc like $2
        and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)%4$s',
      joined, read_from, trigrams_end, narrowed);
  end if;
  if cardinality(among) > 0 then
    -- The candidates first: the planner takes comparing with the term for cheap, and would compare every text.
    hits := hits || format('
      union all
      select docs.id
      from (
        select texts.*
        from unnest($19) candidate (seq)
        join ingest.search_docs texts on texts.seq = candidate.seq
        offset 0
      ) docs%1$s
      where docs.project_id = $1 and strpos(docs.doc, $14) > 0
        and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)%2$s', joined, narrowed);
  end if;
  if among is not null then
    execute format('
      with hits as materialized (%s)
      select (select count(*) from hits), array(
        select id from hits where $12 is null or id < $12 order by id desc limit $13
      )', hits)
    into total, ids
    using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
      before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version;
    return next;
    return;
  end if;

  execute format('select count(*), array_agg(id) from (%s limit %s) hits', hits, few + 1)
  into total, ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version;
  if total <= few then
    ids := array(select id from unnest(ids) id where before is null or id < before order by id desc limit ids_max);
    return next;
    return;
  end if;

  execute format('
    select array(
      select docs.id
      from (
        select id, doc
        from ingest.search_docs
        where project_id = $1 and seq <= %s
          and ($3 is null or id >= $3) and ($4 is null or id < $4) and ($12 is null or id < $12)
        order by id desc
        limit %s
      ) docs%s
      where strpos(docs.doc, $14) > 0%s
      order by docs.id desc
      limit $13
    )', last_seq, walked, joined, narrowed)
  into ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version;
  -- Until this function ends. The planner cannot know what reading a long text costs.
  perform set_config(setting, '0', true)
  from unnest(array['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size', 'min_parallel_index_scan_size'])
    setting;
  execute format('select count(*) from (%s) hits', hits)
  into total
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version;
  if cardinality(ids) < ids_max then
    execute format('
      with hits as materialized (%s)
      select array(select id from hits where $12 is null or id < $12 order by id desc limit $13)', hits)
    into ids
    using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
      before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version;
  end if;
  return next;
end
$$;

revoke all on function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean, bigint[], bigint, text, text
) from public;
grant execute on function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean, bigint[], bigint, text, text
) to touchstone_ingest_app;
