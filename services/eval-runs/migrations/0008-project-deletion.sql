-- Projects that were deleted. A row closes a project for good: no transaction in its scope begins any more, so that a
-- request that was under way, or a key that a gateway still remembers, brings nothing back (decision 24).

create table evals.deleted_projects (
  project_id uuid primary key,
  closed_at timestamptz not null default now(),
  -- When no row was left.
  confirmed_at timestamptz,
  -- Null: nobody looks any more.
  next_pass_at timestamptz default now()
);
create index deleted_projects_due on evals.deleted_projects (next_pass_at) where next_pass_at is not null;
alter table evals.deleted_projects enable row level security;
alter table evals.deleted_projects force row level security;
-- The gate asks for any project: a scope is not set yet.
create policy gate on evals.deleted_projects for select to touchstone_evals_app using (true);
create policy maintenance_all on evals.deleted_projects to touchstone_evals_maintenance using (true) with check (true);
grant select on evals.deleted_projects to touchstone_evals_app;
grant select, insert, update on evals.deleted_projects to touchstone_evals_maintenance;

create table evals.outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  body text not null
);
grant select, insert, delete on evals.outbox to touchstone_evals_maintenance;

-- Answers the list of projects it is given, and fails when one of them was deleted. Volatile, hence with a snapshot of its
-- own: it sees what was committed before it was called.
create function evals.open_projects(projects text) returns text
language plpgsql
as $$
begin
  if exists (
    select from evals.deleted_projects
    where project_id = any (string_to_array(nullif(projects, ''), ',')::uuid[])
  ) then
    raise exception using errcode = 'TSD01', message = 'the project was deleted';
  end if;
  return projects;
end
$$;

grant select, delete on
  evals.datasets, evals.dataset_versions, evals.runs, evals.results, evals.claims, evals.grading_configs,
  evals.grading_config_versions, evals.seeded_content, evals.scorer_groups, evals.analyses, evals.gate_results,
  evals.ci_runs, evals.prompts, evals.prompt_versions, evals.tool_schemas, evals.tool_schema_versions
  to touchstone_evals_maintenance;
