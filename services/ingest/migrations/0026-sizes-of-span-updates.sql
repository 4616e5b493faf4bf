-- How much each update states, so that what a span's updates hold together is known without reading them. Updates of
-- earlier versions count as empty.
alter table ingest.span_updates
  add column attribute_count integer not null default 0,
  add column value_count integer not null default 0;
