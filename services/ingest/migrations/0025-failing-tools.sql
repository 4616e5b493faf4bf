-- As in 0023, and a search is also narrowed by a failure of a tool. A replica of the previous version calls it without that.
drop function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean, bigint[], bigint, text, text
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
  of_prompt_version text default null,
  of_tool_failing boolean default null
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
    of_prompt, of_tool_failing
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
    if num_nonnulls(of_rating_min, of_rating_max, of_failing, of_tool_failing) > 0 then
      joined := joined || '
      left join ingest.trace_verdicts verdicts on verdicts.project_id = $1 and verdicts.trace_id = docs.id';
      narrowed := '
        and ($16 is null or verdicts.rating >= $16)
        and ($17 is null or verdicts.rating <= $17)
        and ($18 is null or (spans.has_error or coalesce(verdicts.is_failing, false)) = $18)
        and ($22 is null or coalesce(starts_with(verdicts.failure, ''agent-tool-failure:''), false) = $22)';
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
      before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version,
      of_tool_failing;
    return next;
    return;
  end if;

  execute format('select count(*), array_agg(id) from (%s limit %s) hits', hits, few + 1)
  into total, ids
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version,
      of_tool_failing;
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
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version,
      of_tool_failing;
  -- Until this function ends. The planner cannot know what reading a long text costs.
  perform set_config(setting, '0', true)
  from unnest(array['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size', 'min_parallel_index_scan_size'])
    setting;
  execute format('select count(*) from (%s) hits', hits)
  into total
  using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
    before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version,
      of_tool_failing;
  if cardinality(ids) < ids_max then
    execute format('
      with hits as materialized (%s)
      select array(select id from hits where $12 is null or id < $12 order by id desc limit $13)', hits)
    into ids
    using project, pattern, from_id, below_id, of_framework, of_source, of_agent, of_session, of_trace_key, of_model, of_error,
      before, ids_max, term, of_latency, of_rating_min, of_rating_max, of_failing, among, of_prompt, of_prompt_version,
      of_tool_failing;
  end if;
  return next;
end
$$;

revoke all on function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean, bigint[], bigint, text, text, boolean
) from public;
grant execute on function ingest.find_roots(
  text, uuid, integer, uuid, uuid, text, text, uuid, text, uuid, text, boolean, double precision,
  double precision, double precision, boolean, bigint[], bigint, text, text, boolean
) to touchstone_ingest_app;
