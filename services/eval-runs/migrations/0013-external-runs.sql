-- External runs: their client scores the results, and judges are asked only when they are rescored.

-- How often the plan was replaced, which is only possible while no result is rated. The other columns follow: a run that grows item
-- by item takes a newer version of its dataset, and the description that its client sent last.
alter table evals.runs add column plan_revision integer not null default 0;
grant update (
  plan, plan_revision, evaluation_settings_id, scorer_group_id, additional_scorer_ids, dataset_version, evaluation_subject
) on evals.runs to touchstone_evals_app;

-- Results whose output comes with their trace. A result that has it changes in place, once.
create index results_awaiting on evals.results (project_id, run_id) where skip_reason = 'awaiting_output';
grant update (document, skip_reason) on evals.results to touchstone_evals_app;

-- Runs that clients find by name. They stay when the dataset goes, as every run does.
create table evals.named_runs (
  project_id uuid not null,
  dataset_id uuid not null,
  name text collate "C" not null,
  run_id uuid not null,
  updated_at timestamptz not null,
  primary key (project_id, dataset_id, name),
  unique (project_id, run_id),
  foreign key (project_id, run_id) references evals.runs (project_id, id) on delete cascade
);

-- What the client named in a result of such a run, as it was sent. span_id is the observation's id in OpenTelemetry.
create table evals.run_items (
  project_id uuid not null,
  run_id uuid not null,
  result_id uuid not null,
  case_id text not null,
  trace_id text not null,
  observation_id text,
  span_id text,
  created_at timestamptz not null,
  primary key (project_id, run_id, result_id),
  foreign key (project_id, run_id) references evals.runs (project_id, id) on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array['named_runs', 'run_items'] loop
    execute format('alter table evals.%I enable row level security', name);
    execute format('alter table evals.%I force row level security', name);
    execute format(
      'create policy app_scope on evals.%I to touchstone_evals_app
         using (project_id = any ((select evals.projects())::uuid[]))
         with check (project_id = any ((select evals.projects())::uuid[]))', name);
    execute format(
      'create policy maintenance_all on evals.%I to touchstone_evals_maintenance using (true) with check (true)', name);
  end loop;
end $$;

grant select, insert on evals.named_runs, evals.run_items to touchstone_evals_app;
grant update (updated_at) on evals.named_runs to touchstone_evals_app;
grant select, delete on evals.named_runs, evals.run_items to touchstone_evals_maintenance;
