-- Teams: who was invited into an organization, and the record of what was administered (decision 25).

create table auth.invitations (
  -- What lists show: it opens nothing.
  id uuid primary key,
  -- SHA-256 of the 256 random bits in the link: whoever reads this table can accept nothing.
  token_hash bytea not null unique,
  organization_id uuid not null references auth.organizations (id) on delete cascade,
  -- Lower case, as in auth.users.
  email text not null,
  role text not null check (role in ('admin', 'member')),
  invited_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  -- At most one of the two: an invitation is used once, or never.
  accepted_at timestamptz,
  revoked_at timestamptz,
  check (accepted_at is null or revoked_at is null)
);
create index invitations_organization on auth.invitations (organization_id, id)
  where accepted_at is null and revoked_at is null;

-- One row for each administrative act, written in the act's own transaction.
create table auth.audit_events (
  id uuid primary key,
  -- Goes with its organization. Null in default mode, and of a deleted organization.
  organization_id uuid references auth.organizations (id) on delete cascade,
  -- What the act was about, where it was a project. No reference: the log of an organization outlives its projects.
  project_id uuid,
  actor_type text not null check (actor_type in ('user', 'key', 'admin')),
  -- The user, or the project of the key; null for the operator's token.
  actor_id uuid,
  action text not null,
  target_id text,
  -- Never a secret.
  details jsonb not null default '{}',
  request_id text not null,
  created_at timestamptz not null default now(),
  check ((actor_type = 'admin') = (actor_id is null))
);
create index audit_events_organization on auth.audit_events (organization_id, id);
create index audit_events_project on auth.audit_events (project_id, id);

grant select, insert, update on auth.invitations to touchstone_auth_app;
grant select, insert on auth.audit_events to touchstone_auth_app;
grant select, delete on auth.audit_events to touchstone_auth_maintenance;
