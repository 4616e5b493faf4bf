-- The bytes of the texts that lists and exports measure. Measuring a text unpacks it, so its size is kept beside it. Rows of earlier
-- versions have none, and are measured when they are read. A trigger measures, because older code that is still running writes rows, too.
-- Each table is locked for a moment: columns without values rewrite nothing. No transaction uses two of these tables in another order.
alter table evals.dataset_versions add column document_bytes integer;
alter table evals.grading_config_versions add column document_bytes integer;
alter table evals.tool_schemas add column document_bytes integer;
alter table evals.tool_schema_versions add column document_bytes integer;
alter table evals.prompt_versions add column content_bytes integer;

create function evals.measure_document() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.document_bytes := octet_length(new.document::text);
  return new;
end
$$;

create function evals.measure_prompt() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.content_bytes := octet_length(new.text::text) + coalesce(octet_length(new.messages::text), 0)
    + octet_length(new.config::text);
  return new;
end
$$;

create trigger measure_document before insert or update of document on evals.dataset_versions
  for each row execute function evals.measure_document();
create trigger measure_document before insert or update of document on evals.grading_config_versions
  for each row execute function evals.measure_document();
create trigger measure_document before insert or update of document on evals.tool_schemas
  for each row execute function evals.measure_document();
create trigger measure_document before insert or update of document on evals.tool_schema_versions
  for each row execute function evals.measure_document();
create trigger measure_prompt before insert or update of text, messages, config on evals.prompt_versions
  for each row execute function evals.measure_prompt();
