-- Projects that were deleted. A row closes a project for good: no transaction in its scope begins any more, so that a
-- request that was under way, or a key that a gateway still remembers, brings nothing back (decision 24).

create table judge.deleted_projects (
  project_id uuid primary key,
  closed_at timestamptz not null default now(),
  -- When no row was left.
  confirmed_at timestamptz,
  -- Null: nobody looks any more.
  next_pass_at timestamptz default now()
);
create index deleted_projects_due on judge.deleted_projects (next_pass_at) where next_pass_at is not null;
alter table judge.deleted_projects enable row level security;
alter table judge.deleted_projects force row level security;
-- The gate asks for any project: a scope is not set yet.
create policy gate on judge.deleted_projects for select to touchstone_judge_app using (true);
create policy maintenance_all on judge.deleted_projects to touchstone_judge_maintenance using (true) with check (true);
grant select on judge.deleted_projects to touchstone_judge_app;
grant select, insert, update on judge.deleted_projects to touchstone_judge_maintenance;

create table judge.outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  body text not null
);
grant select, insert, delete on judge.outbox to touchstone_judge_maintenance;

-- Verdicts are an organization's where there is one, and stay with it; those of a project go with it.
create policy maintenance_all on judge.verdicts to touchstone_judge_maintenance using (true) with check (true);
grant select, delete on judge.verdicts to touchstone_judge_maintenance;
grant delete on judge.usage to touchstone_judge_maintenance;
