-- The dashboard asks for the newest verdict on each run of a page; deleting a run deletes its verdicts.
create index gate_results_of_run on evals.gate_results (project_id, run_id, id desc);
