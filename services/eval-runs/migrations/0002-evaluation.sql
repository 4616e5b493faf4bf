-- Grading configs, scorer groups, analyses, gates, CI runs, prompts and tool schemas, and what runs say of them.
-- Documents are of type json for the reason given in 0001. What has versions keeps each for good; a run holds in
-- `plan` whatever grades it, so that it ends as it began even when a config or a group goes.

alter table evals.dataset_versions add column if not exists change_summary text not null default 'Created';

-- dataset_version is null for a trace that was graded by a config alone.
alter table evals.runs alter column dataset_version drop not null;
alter table evals.runs
  add column if not exists evaluation_settings_id uuid,
  add column if not exists scorer_group_id uuid,
  add column if not exists additional_scorer_ids uuid[],
  add column if not exists plan json,
  add column if not exists verdict_mode text not null default 'live' check (verdict_mode in ('live', 'cache', 'replay')),
  add column if not exists smoke_test_variants json,
  add column if not exists scoring_revision integer not null default 0;

-- Runs are listed newest first, and the newest of a dataset are its baselines. An id begins with its millisecond.
create index if not exists runs_of_dataset on evals.runs (project_id, dataset_id, id desc);
create index if not exists runs_open on evals.runs (created_at) where status = 'in_progress';

-- One entity in two presentations: evaluation settings and judge scorers share the id. `online` is its live profile.
create table if not exists evals.grading_configs (
  project_id uuid not null,
  id uuid not null,
  version integer not null,
  is_default boolean not null default false,
  seed_key text,
  online json,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create unique index if not exists grading_configs_default on evals.grading_configs (project_id) where is_default;

create table if not exists evals.grading_config_versions (
  project_id uuid not null,
  config_id uuid not null,
  version integer not null,
  document json not null,
  change_summary text not null,
  created_at timestamptz not null,
  primary key (project_id, config_id, version)
);

-- What a project was given once. It is not given again when it is deleted.
create table if not exists evals.seeded_content (
  project_id uuid not null,
  seed_key text not null,
  primary key (project_id, seed_key)
);

create table if not exists evals.scorer_groups (
  project_id uuid not null,
  id uuid not null,
  document json not null,
  online json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);

-- The one analysis of a run; a new one takes the place of the old. While it is written its holder has a lease.
create table if not exists evals.analyses (
  project_id uuid not null,
  run_id uuid not null,
  status text not null check (status in ('running', 'completed', 'failed')),
  holder uuid,
  lease_until timestamptz,
  document json,
  failure text,
  scoring_revision integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (project_id, run_id),
  foreign key (project_id, run_id) references evals.runs (project_id, id) on delete cascade
);

create table if not exists evals.gate_results (
  project_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  dataset_id uuid not null,
  scoring_revision integer not null,
  passed boolean not null,
  caller text,
  document json not null,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, run_id) references evals.runs (project_id, id) on delete cascade
);

-- A CI run is an evaluation run with the same id, and this beside it. `verdict` is what finalizing found, once.
create table if not exists evals.ci_runs (
  project_id uuid not null,
  run_id uuid not null,
  agent_name text,
  settings json not null,
  git_context json,
  expires_at timestamptz not null,
  verdict json,
  finalized_at timestamptz,
  created_at timestamptz not null,
  primary key (project_id, run_id),
  foreign key (project_id, run_id) references evals.runs (project_id, id) on delete cascade
);

create table if not exists evals.prompts (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  description json,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, name)
);

create table if not exists evals.prompt_versions (
  project_id uuid not null,
  prompt_id uuid not null,
  version integer not null,
  text json not null,
  created_at timestamptz not null,
  primary key (project_id, prompt_id, version),
  foreign key (project_id, prompt_id) references evals.prompts (project_id, id) on delete cascade
);

create table if not exists evals.tool_schemas (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  version integer not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, name)
);

create table if not exists evals.tool_schema_versions (
  project_id uuid not null,
  tool_schema_id uuid not null,
  version integer not null,
  document json not null,
  created_at timestamptz not null,
  primary key (project_id, tool_schema_id, version),
  foreign key (project_id, tool_schema_id) references evals.tool_schemas (project_id, id) on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'grading_configs', 'grading_config_versions', 'seeded_content', 'scorer_groups', 'analyses', 'gate_results',
    'ci_runs', 'prompts', 'prompt_versions', 'tool_schemas', 'tool_schema_versions'
  ] loop
    execute format('alter table evals.%I enable row level security', name);
    execute format('alter table evals.%I force row level security', name);
    execute format('drop policy if exists app_scope on evals.%I', name);
    execute format(
      'create policy app_scope on evals.%I to touchstone_evals_app
         using (project_id = any ((select evals.projects())::uuid[]))
         with check (project_id = any ((select evals.projects())::uuid[]))', name);
    execute format('drop policy if exists maintenance_all on evals.%I', name);
    execute format(
      'create policy maintenance_all on evals.%I to touchstone_evals_maintenance using (true) with check (true)', name);
  end loop;
end $$;

grant select, insert, update, delete on
  evals.grading_configs, evals.scorer_groups, evals.analyses, evals.ci_runs, evals.prompts, evals.tool_schemas
  to touchstone_evals_app;
grant select, insert, delete on
  evals.grading_config_versions, evals.prompt_versions, evals.tool_schema_versions, evals.gate_results
  to touchstone_evals_app;
grant select, insert on evals.seeded_content to touchstone_evals_app;
-- Datasets are replaced and deleted, versions nobody uses too; runs are deleted with their results. Rescoring replaces
-- skipped rows.
grant update (version), delete on evals.datasets to touchstone_evals_app;
grant delete on evals.dataset_versions, evals.runs, evals.results to touchstone_evals_app;
grant update (scoring_revision) on evals.runs to touchstone_evals_app;
grant select, update on evals.ci_runs to touchstone_evals_maintenance;
