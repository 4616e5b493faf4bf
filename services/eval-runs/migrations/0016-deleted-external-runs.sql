-- External runs that were deleted. The id of an experiment's run follows from the experiment, and spans of it may still come: without
-- these rows they would make the run again.
create table evals.deleted_external_runs (
  project_id uuid not null,
  run_id uuid not null,
  dataset_id uuid not null,
  deleted_at timestamptz not null default now(),
  primary key (project_id, run_id)
);
alter table evals.deleted_external_runs enable row level security;
alter table evals.deleted_external_runs force row level security;
create policy app_scope on evals.deleted_external_runs to touchstone_evals_app
  using (project_id = any ((select evals.projects())::uuid[]))
  with check (project_id = any ((select evals.projects())::uuid[]));
create policy maintenance_all on evals.deleted_external_runs to touchstone_evals_maintenance using (true) with check (true);
grant select, insert on evals.deleted_external_runs to touchstone_evals_app;
grant select, delete on evals.deleted_external_runs to touchstone_evals_maintenance;
