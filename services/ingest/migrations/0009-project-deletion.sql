-- Projects that were deleted. A row closes a project for good: no transaction in its scope begins any more, so that a
-- request that was under way, or a key that a gateway still remembers, brings nothing back (decision 24).

create table ingest.deleted_projects (
  project_id uuid primary key,
  closed_at timestamptz not null default now(),
  -- When no row was left.
  confirmed_at timestamptz,
  -- Null: nobody looks any more.
  next_pass_at timestamptz default now()
);
create index deleted_projects_due on ingest.deleted_projects (next_pass_at) where next_pass_at is not null;
alter table ingest.deleted_projects enable row level security;
alter table ingest.deleted_projects force row level security;
-- The gate asks for any project: a scope is not set yet.
create policy gate on ingest.deleted_projects for select to touchstone_ingest_app using (true);
create policy maintenance_all on ingest.deleted_projects to touchstone_ingest_maintenance using (true) with check (true);
grant select on ingest.deleted_projects to touchstone_ingest_app;
grant select, insert, update on ingest.deleted_projects to touchstone_ingest_maintenance;

-- Answers the list of projects it is given, and fails when one of them was deleted. Volatile, hence with a snapshot of its
-- own: it sees what was committed before it was called.
create function ingest.open_projects(projects text) returns text
language plpgsql
as $$
begin
  if exists (
    select from ingest.deleted_projects
    where project_id = any (string_to_array(nullif(projects, ''), ',')::uuid[])
  ) then
    raise exception using errcode = 'TSD01', message = 'the project was deleted';
  end if;
  return projects;
end
$$;

grant delete on ingest.retention to touchstone_ingest_maintenance;
grant select, delete on ingest.model_prices to touchstone_ingest_maintenance;
