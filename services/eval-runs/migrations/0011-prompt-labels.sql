-- A version of a prompt is a text or a list of messages. `text` of a chat prompt has the contents of its messages, for
-- readers that know only texts. Free JSON is of type json for the reason given in 0001.
alter table evals.prompts add column tags json not null default '[]';
alter table evals.prompt_versions
  add column messages json,
  add column config json not null default '{}',
  add column commit_message json;

-- A label names one version of its prompt at a time, and moves. `latest` is never stored: it is the newest version.
create table evals.prompt_labels (
  project_id uuid not null,
  prompt_id uuid not null,
  label text collate "C" not null,
  version integer not null,
  primary key (project_id, prompt_id, label),
  foreign key (project_id, prompt_id, version)
    references evals.prompt_versions (project_id, prompt_id, version) on delete cascade
);
alter table evals.prompt_labels enable row level security;
alter table evals.prompt_labels force row level security;
create policy app_scope on evals.prompt_labels to touchstone_evals_app
  using (project_id = any ((select evals.projects())::uuid[]))
  with check (project_id = any ((select evals.projects())::uuid[]));
create policy maintenance_all on evals.prompt_labels to touchstone_evals_maintenance using (true) with check (true);
grant select, insert, update on evals.prompt_labels to touchstone_evals_app;
grant select, delete on evals.prompt_labels to touchstone_evals_maintenance;
