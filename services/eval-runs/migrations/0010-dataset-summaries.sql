-- What a list of datasets shows of the newest version, so that listing reads no document. A summary of another version
-- than the newest, or none, is made by the next list: of what was stored before, or by a replica that knows no summaries.
alter table evals.datasets
  add column name text,
  add column description text,
  add column case_count integer,
  add column summarized_version integer;
create index datasets_to_summarize on evals.datasets (project_id) where summarized_version is distinct from version;
grant update (name, description, case_count, summarized_version) on evals.datasets to touchstone_evals_app;
