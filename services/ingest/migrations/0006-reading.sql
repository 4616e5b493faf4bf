-- Reading at a million roots.

-- From here on no text is indexed yet. Older ones may be not indexed either, for a while: a hint for the planner, never
-- a limit of what is found.
create table ingest.search_frontier (
  first_unindexed bigint not null
);
insert into ingest.search_frontier
select coalesce(max(end_seq) filter (where is_indexed), 0)
from ingest.search_pieces();

-- As in 0003, and moves the frontier.
create or replace function ingest.index_search_piece(piece text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
set maintenance_work_mem = '128MB'
as $$
declare
  beyond bigint := (
    select end_seq
    from ingest.search_pieces() known
    where known.piece = index_search_piece.piece and not is_indexed
  );
begin
  if beyond is null then
    return;
  end if;
  -- The extension may have been put into any schema.
  execute format(
    'create index %I on ingest.%I using gin (project_id, doc %I.gin_trgm_ops) with (fastupdate = off)',
    piece || '_doc', piece,
    (select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm')
  );
  execute format('analyze ingest.%I', piece);
  update ingest.search_frontier set first_unindexed = beyond where first_unindexed < beyond;
end
$$;

-- As in 0003, with three differences in how it gets there. Pieces are named by numbers, so that only those that hold
-- texts are planned. What is not indexed is read with strpos, which takes half of the time of LIKE. The hits of a common
-- word, which have to be read one by one for their exact number, are read by two processes.
create or replace function ingest.find_roots(
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
set enable_seqscan = on
as $$
declare
  project uuid := (ingest.projects())[1];
  few constant integer := 2000;
  walked constant integer := 50000;
  term text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\(.)', '\1', 'g');
  first_unindexed bigint := coalesce((select frontier.first_unindexed from ingest.search_frontier frontier), 0);
  -- The caller's snapshot holds no text with a higher number.
  last_seq bigint := coalesce(pg_sequence_last_value('ingest.search_docs_seq_seq'), 9223372036854775807);
  joined text := '';
  hits text;
begin
  if project is null then
    return query select 0::bigint, '{}'::uuid[];
    return;
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
  if length(term) < 3 then
    -- It has no trigram: reading every text is cheaper than looking into the indexes first.
    first_unindexed := 0;
  end if;
  hits := format('
    select docs.id
    from ingest.search_docs docs%1$s
    where docs.project_id = $1 and docs.seq >= %2$s and docs.seq <= %3$s and strpos(docs.doc, $14) > 0
      and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)', joined, first_unindexed, last_seq);
  if first_unindexed > 0 then
    hits := format('
      select docs.id
      from ingest.search_docs docs%1$s
      where docs.project_id = $1 and docs.seq < %2$s and docs.doc like $2
        and ($3 is null or docs.id >= $3) and ($4 is null or docs.id < $4)
      union all', joined, first_unindexed) || hits;
  end if;

  execute format('select count(*), array_agg(id) from (%s limit %s) hits', hits, few + 1)
  into total, ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term;
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
      where strpos(docs.doc, $14) > 0
      order by docs.id desc
      limit $13
    )', last_seq, walked, joined)
  into ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term;
  -- Until this function ends. The planner cannot know what reading a long text costs.
  perform set_config(setting, '0', true)
  from unnest(array['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size', 'min_parallel_index_scan_size'])
    setting;
  execute format('select count(*) from (%s) hits', hits)
  into total
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term;
  if cardinality(ids) < ids_max then
    execute format('
      with hits as materialized (%s)
      select array(select id from hits where $12 is null or id < $12 order by id desc limit $13)', hits)
    into ids
    using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
      before, ids_max, term;
  end if;
  return next;
end
$$;
