-- Accounts, their sessions and organizations. The first four tables are what the accounts library keeps, written down by
-- hand from what it expects (decision 23): its fields in snake case. Nothing here is under row-level security, for the
-- reason 0001 gives.

create table auth.users (
  id uuid primary key,
  name text not null,
  -- Lower case.
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table auth.sessions (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  -- A cookie holds it under an HMAC: whoever reads this table can make no cookie of it.
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  active_organization_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sessions_user on auth.sessions (user_id);
create index sessions_expiry on auth.sessions (expires_at);

-- How a user signs in: with a password, or with an account somewhere else.
create table auth.accounts (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  account_id text not null,
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  -- scrypt, with its salt.
  password text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index accounts_user on auth.accounts (user_id);

-- Tokens that were mailed: the identifier is stored as a hash.
create table auth.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_identifier on auth.verifications (identifier);
create index verifications_expiry on auth.verifications (expires_at);

create table auth.organizations (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null
);

create table auth.members (
  id uuid primary key,
  organization_id uuid not null references auth.organizations (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  unique (organization_id, user_id)
);
create index members_user on auth.members (user_id);
-- Who made it, and can neither be removed nor joined by another.
create unique index members_owner on auth.members (organization_id) where role = 'owner';

-- One row from the first account on, whatever becomes of it: whoever signs up after everything was deleted is not the first.
create table auth.installation (
  is_set_up boolean primary key default true check (is_set_up),
  -- What open sign-up joins. Null in multi-tenant mode, and once it was deleted.
  organization_id uuid references auth.organizations (id) on delete set null,
  set_up_at timestamptz not null
);

-- The project that a tenant's sign-up came with. `is_default` stays the installation's own.
alter table auth.projects add column is_tenant_default boolean not null default false;
create unique index projects_tenant_default on auth.projects (organization_id) where is_tenant_default;
create index projects_organization on auth.projects (organization_id);

grant select, insert, update, delete on
  auth.users, auth.sessions, auth.accounts, auth.verifications, auth.organizations, auth.members
  to touchstone_auth_app;
grant select, insert, update on auth.installation to touchstone_auth_app;
