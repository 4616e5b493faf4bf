-- Keys of LLM providers, an organization's or, without one, the installation's (decision 27); and the model that a project
-- has asked where a request names none. Without row-level security, for the reason 0001 gives.

create table auth.provider_keys (
  organization_id uuid references auth.organizations (id) on delete cascade,
  provider text not null check (provider in ('openai', 'anthropic', 'gemini')),
  -- Under AES-256-GCM, bound to whose it is: a row that is moved to another organization does not open.
  sealed_key bytea not null,
  updated_at timestamptz not null,
  unique nulls not distinct (organization_id, provider)
);

alter table auth.projects add column platform_model text;

grant select, insert, update, delete on auth.provider_keys to touchstone_auth_app;
