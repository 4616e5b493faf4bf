-- Deleting a project: its key goes at once, its row when every service that keeps rows of projects has said that it has
-- none of this one left (decision 24).

-- Null: not deleted. Since then it is in no list and has no key.
alter table auth.projects add column deleting_since timestamptz;
-- When the services were last told.
alter table auth.projects add column announced_at timestamptz;
create index projects_deleting on auth.projects (announced_at) where deleting_since is not null;

create table auth.data_deletions (
  project_id uuid not null references auth.projects (id) on delete cascade,
  service text not null,
  confirmed_at timestamptz not null default now(),
  primary key (project_id, service)
);

grant delete on auth.project_keys to touchstone_auth_app;
grant select, update, delete on auth.projects to touchstone_auth_maintenance;
grant select, insert on auth.data_deletions to touchstone_auth_maintenance;
grant insert on auth.outbox to touchstone_auth_maintenance;
