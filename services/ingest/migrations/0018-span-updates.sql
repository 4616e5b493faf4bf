-- What clients said of a span in several requests (decision 54). The row of the span is made from all of its updates,
-- which live as long as its trace.
create table ingest.span_updates (
  project_id uuid not null,
  trace_key  uuid not null,
  span_id    text not null,
  -- A hash of the update's id, or of all it says: an update sent again is stored once.
  dk         uuid not null,
  is_update  boolean not null,
  time_ms    float8 not null,
  -- JSON (see src/model/span-update.ts).
  body       bytea not null,
  primary key (project_id, trace_key, span_id, dk)
);
alter table ingest.span_updates enable row level security;
alter table ingest.span_updates force row level security;
create policy project_scope on ingest.span_updates to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.span_updates to touchstone_ingest_maintenance using (true) with check (true);
grant select, insert, delete on ingest.span_updates to touchstone_ingest_app, touchstone_ingest_maintenance;
