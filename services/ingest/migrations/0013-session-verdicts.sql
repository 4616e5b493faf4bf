-- What live judging last said of a session, as lists show it (completions 2.7). Sessions are no rows of ours, so nothing takes
-- a row away with them: what was said long ago is forgotten.
create table ingest.session_verdicts (
  project_id  uuid not null,
  session_id  text not null,
  -- Of two the greater is in force.
  revision    bigint not null,
  rating      double precision not null,
  scorer_name text not null,
  checked_at  timestamptz not null,
  -- JSON: name and rating of each judge.
  judges      text not null,
  primary key (project_id, session_id)
);
create index session_verdicts_age on ingest.session_verdicts (project_id, checked_at);
alter table ingest.session_verdicts enable row level security;
alter table ingest.session_verdicts force row level security;
create policy project_scope on ingest.session_verdicts to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.session_verdicts to touchstone_ingest_maintenance using (true) with check (true);
grant select on ingest.session_verdicts to touchstone_ingest_app;
grant select, insert, update, delete on ingest.session_verdicts to touchstone_ingest_maintenance;
