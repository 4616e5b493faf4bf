-- Outcomes of requests with telemetry by hour, as gateways counted them (decision 44).
create table ingest.request_counts (
  project_id uuid not null,
  hour       timestamptz not null,
  -- `accepted`, the code of an error, or `rejected_...` for parts of accepted requests.
  outcome    text not null,
  count      bigint not null,
  last_at    timestamptz not null,
  -- From the latest answer that had one; never text of a payload.
  example    text,
  primary key (project_id, hour, outcome)
);
create index request_counts_age on ingest.request_counts (hour);
alter table ingest.request_counts enable row level security;
alter table ingest.request_counts force row level security;
create policy project_scope on ingest.request_counts to touchstone_ingest_app
  using (project_id = any ((select ingest.projects())::uuid[]))
  with check (project_id = any ((select ingest.projects())::uuid[]));
create policy every_project on ingest.request_counts to touchstone_ingest_maintenance using (true) with check (true);
grant select on ingest.request_counts to touchstone_ingest_app;
grant select, insert, update, delete on ingest.request_counts to touchstone_ingest_maintenance;
