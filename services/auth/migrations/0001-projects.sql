-- Projects, their keys, and the events that say a key stopped working.
--
-- There is no row-level security here, on purpose. Everywhere else it limits a request to the project its key stands
-- for; auth is where that project is found out, so its first query has no project to be limited to. Whoever may read
-- one row of these tables by its key must be able to find every row. What isolates projects here are the queries, each
-- of which names a key's fingerprint or a project, and the grants: no other service's role reaches this schema, and the
-- key itself is stored only encrypted.

create table auth.projects (
  id uuid primary key,
  name text not null,
  is_default boolean not null default false,
  organization_id uuid,
  created_at timestamptz not null
);

-- However many processes start at once, one of them makes the default project.
create unique index projects_default on auth.projects (is_default) where is_default;

create table auth.project_keys (
  project_id uuid primary key references auth.projects (id) on delete cascade,
  -- HMAC-SHA-256 of the key: what a presented key is found by.
  fingerprint bytea not null unique,
  -- The key under AES-256-GCM, because the API shows keys again.
  sealed_key bytea not null,
  created_at timestamptz not null
);

create table auth.outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  body text not null
);

grant usage on schema auth to touchstone_auth_app, touchstone_auth_maintenance;
grant select, insert, update on auth.projects, auth.project_keys to touchstone_auth_app;
grant insert on auth.outbox to touchstone_auth_app;
grant select, delete on auth.outbox to touchstone_auth_maintenance;
