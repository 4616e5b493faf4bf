-- Traces that settle, and what live judging says of them.

-- When an OTel trace settles if nothing more comes to it (decision 30). Null: it has, or nothing came since there is
-- settling.
alter table ingest.traces add column settles_at timestamptz;
create index traces_settling on ingest.traces (settles_at) where settles_at is not null;

-- What live judging last said of a trace, as it is shown. It lives as long as the span.
create table ingest.trace_verdicts (
  project_id   uuid not null,
  trace_id     uuid not null,
  -- Of two the greater is in force.
  revision     bigint not null,
  -- JSON; null: nothing scored it.
  judge_scores text,
  -- JSON; null: it was not classified.
  topic        text,
  primary key (project_id, trace_id)
);
alter table ingest.trace_verdicts enable row level security;
alter table ingest.trace_verdicts force row level security;
create policy project_scope on ingest.trace_verdicts to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.trace_verdicts to touchstone_ingest_maintenance using (true) with check (true);
grant select, delete on ingest.trace_verdicts to touchstone_ingest_app;
grant select, insert, update, delete on ingest.trace_verdicts to touchstone_ingest_maintenance;
