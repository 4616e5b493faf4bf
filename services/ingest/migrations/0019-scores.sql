-- Scores that clients give to traces, spans, sessions and results of runs (completions 2.9). What a score is about may be
-- stored later or never, so nothing refers to it.
create table ingest.scores (
  project_id uuid not null,
  id         text collate "C" not null,
  name       text collate "C" not null,
  data_type  text not null,
  -- Of a boolean 1 or 0; null of a categorical score, which has a label.
  number     double precision,
  label      text,
  comment    text,
  -- JSON.
  metadata   text,
  source     text not null,
  scored_at  timestamptz not null,
  -- As sent.
  trace_id   text,
  -- The same for every spelling of one trace: a UUID as 32 hexadecimal digits.
  trace_key  text collate "C",
  span_id    text collate "C",
  session_id text collate "C",
  run_id     text collate "C",
  case_id    text collate "C",
  run_number integer,
  author     text,
  -- The user who was signed in.
  author_id  text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);
-- Each in the order of the list.
create index scores_newest on ingest.scores (project_id, scored_at desc, id desc);
create index scores_named on ingest.scores (project_id, name, scored_at desc, id desc);
create index scores_of_trace on ingest.scores (project_id, trace_key, scored_at desc, id desc) where trace_key is not null;
create index scores_of_span on ingest.scores (project_id, span_id, scored_at desc, id desc) where span_id is not null;
create index scores_of_session on ingest.scores (project_id, session_id, scored_at desc, id desc) where session_id is not null;
create index scores_of_run on ingest.scores (project_id, run_id, scored_at desc, id desc) where run_id is not null;
create index scores_of_case on ingest.scores (project_id, case_id, scored_at desc, id desc) where case_id is not null;
alter table ingest.scores enable row level security;
alter table ingest.scores force row level security;
create policy project_scope on ingest.scores to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.scores to touchstone_ingest_maintenance using (true) with check (true);
grant select, insert, update, delete on ingest.scores to touchstone_ingest_app, touchstone_ingest_maintenance;
