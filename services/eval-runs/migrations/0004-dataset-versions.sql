-- Whether a run uses a version is asked for each version that is to be deleted, by the foreign key as well.
create index if not exists runs_of_dataset_version on evals.runs (project_id, dataset_id, dataset_version);
