-- CI runs that nobody finalized are found by when they expire.
create index if not exists ci_runs_open on evals.ci_runs (expires_at) where finalized_at is null;
