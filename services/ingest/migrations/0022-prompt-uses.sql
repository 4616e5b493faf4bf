-- Which prompt a span was made with, by the name and version that it states. Null for spans that were stored before this.
alter table ingest.spans
  add column prompt_name text,
  add column prompt_version text;
create index spans_of_prompts on ingest.spans (project_id, prompt_name, id)
  include (prompt_version, trace_key) where prompt_name is not null;
