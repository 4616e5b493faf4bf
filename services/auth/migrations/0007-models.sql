-- The catalogue of models (decision 29): what an organization, or a project of none, changed in the built-in one. Without
-- row-level security, for the reason 0001 gives.

create table auth.models (
  -- The organization or the project: what rows are found by, and what a sealed key is bound to.
  owner_id uuid not null,
  organization_id uuid references auth.organizations (id) on delete cascade,
  project_id uuid references auth.projects (id) on delete cascade,
  model text not null,
  provider text not null check (provider in ('openai', 'anthropic', 'gemini', 'custom')),
  label text not null,
  -- USD per million tokens.
  input_price double precision not null,
  output_price double precision not null,
  cache_read_price double precision,
  cache_write_price double precision,
  -- Of custom models: where they are asked, and with which key. The key is under AES-256-GCM.
  base_url text,
  sealed_key bytea,
  -- The built-in model of this id is not part of the catalogue.
  is_removed boolean not null default false,
  primary key (owner_id, model),
  check ((organization_id is null) <> (project_id is null) and owner_id = coalesce(organization_id, project_id))
);
create index models_organization on auth.models (organization_id) where organization_id is not null;
create index models_project on auth.models (project_id) where project_id is not null;

-- Numbers the announcements of a catalogue. Taken under the lock of its owner, so that a later one has a greater number.
create sequence auth.model_revisions;

grant select, insert, update, delete on auth.models to touchstone_auth_app;
grant usage on sequence auth.model_revisions to touchstone_auth_app;
