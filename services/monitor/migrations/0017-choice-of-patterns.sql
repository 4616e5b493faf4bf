-- What decides whether a trace is due a pattern: read for every trace that settles, while the pattern itself may have megabytes. Null
-- for a document with a text that the operators of PostgreSQL refuse. An agent has a UUID; other ids select nothing.
create function monitor.choice_of(document json) returns json
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return json_build_object(
    'enabled', document -> 'enabled',
    'polarity', document -> 'polarity',
    'sampleRate', document -> 'sampleRate',
    'scopeMode', document -> 'scopeMode',
    'agentIds', jsonb_path_query_array((document -> 'agentIds')::jsonb, '$[*] ? (@ like_regex "^[0-9a-f-]{36}$")')
  );
exception
  when data_exception then
    return null;
end
$$;

alter table monitor.patterns
  add column choice json generated always as (monitor.choice_of(document)) stored;
