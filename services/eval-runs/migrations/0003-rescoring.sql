-- What rescoring needs: the retrieval context that was submitted, which no row shows, and the right to rescore, which one
-- caller has at a time.

alter table evals.results add column if not exists submitted_context json;
alter table evals.claims add column if not exists submitted_context json;
alter table evals.runs
  add column if not exists rescoring_holder uuid,
  add column if not exists rescoring_until timestamptz;

grant update (rescoring_holder, rescoring_until) on evals.runs to touchstone_evals_app;
-- Idle runs are ended by a sweep.
grant update (closing_as, closing_since) on evals.runs to touchstone_evals_maintenance;
