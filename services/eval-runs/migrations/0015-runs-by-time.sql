-- Runs are in the order of time. Their ids are not always: the id of a client's experiment is a hash.
create index runs_by_time on evals.runs (project_id, created_at desc, id desc);
create index runs_of_dataset_by_time on evals.runs (project_id, dataset_id, created_at desc, id desc);
drop index evals.runs_of_dataset;

-- The dashboard asks for the newest verdict on each run of a page; deleting a run deletes its verdicts.
create index gate_results_of_run on evals.gate_results (project_id, run_id, id desc);
