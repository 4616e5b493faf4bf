-- What a scorer group gave over time is read from the runs it graded.
create index if not exists runs_of_group on evals.runs (project_id, scorer_group_id) where scorer_group_id is not null;
