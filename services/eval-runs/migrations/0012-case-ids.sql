-- Ids that clients gave to cases: in which dataset the case is. The case itself is in the document.
create table evals.case_ids (
  project_id uuid not null,
  case_id text collate "C" not null,
  dataset_id uuid not null,
  primary key (project_id, case_id),
  foreign key (project_id, dataset_id) references evals.datasets (project_id, id) on delete cascade
);
create index case_ids_of_dataset on evals.case_ids (project_id, dataset_id);
alter table evals.case_ids enable row level security;
alter table evals.case_ids force row level security;
create policy app_scope on evals.case_ids to touchstone_evals_app
  using (project_id = any ((select evals.projects())::uuid[]))
  with check (project_id = any ((select evals.projects())::uuid[]));
create policy maintenance_all on evals.case_ids to touchstone_evals_maintenance using (true) with check (true);
grant select, insert on evals.case_ids to touchstone_evals_app;
grant select, delete on evals.case_ids to touchstone_evals_maintenance;

create index datasets_by_name on evals.datasets (project_id, name);

-- Of the newest version, as name and description are: json's operators refuse \u0000, so lists read no document.
alter table evals.datasets add column metadata json;
grant update (metadata) on evals.datasets to touchstone_evals_app;
