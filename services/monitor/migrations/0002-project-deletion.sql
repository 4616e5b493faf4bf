-- Projects that were deleted. A row closes a project for good: no transaction in its scope begins any more, so that a
-- request that was under way, or a key that a gateway still remembers, brings nothing back (decision 24).

create table monitor.deleted_projects (
  project_id uuid primary key,
  closed_at timestamptz not null default now(),
  -- When no row was left.
  confirmed_at timestamptz,
  -- Null: nobody looks any more.
  next_pass_at timestamptz default now()
);
create index deleted_projects_due on monitor.deleted_projects (next_pass_at) where next_pass_at is not null;
alter table monitor.deleted_projects enable row level security;
alter table monitor.deleted_projects force row level security;
-- The gate asks for any project: a scope is not set yet.
create policy gate on monitor.deleted_projects for select to touchstone_monitor_app using (true);
create policy maintenance_all on monitor.deleted_projects to touchstone_monitor_maintenance using (true) with check (true);
grant select on monitor.deleted_projects to touchstone_monitor_app;
grant select, insert, update on monitor.deleted_projects to touchstone_monitor_maintenance;

create table monitor.outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  body text not null
);
grant select, insert, delete on monitor.outbox to touchstone_monitor_maintenance;
