-- Datasets, runs, results, and the claims under which results are judged. Whatever a user sends as free JSON is kept in
-- columns of type json, which store the text as it came; jsonb would refuse \u0000 and rewrite numbers and key order.

create or replace function evals.projects() returns uuid[]
language sql stable
as $$ select string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[] $$;

create table if not exists evals.datasets (
  project_id uuid not null,
  id uuid not null,
  version integer not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);

-- A row is written once and never changes: runs point at the version they were created with. There is no reference to
-- datasets, since a version stays for its runs when the dataset goes.
create table if not exists evals.dataset_versions (
  project_id uuid not null,
  dataset_id uuid not null,
  version integer not null,
  document json not null,
  created_at timestamptz not null,
  primary key (project_id, dataset_id, version)
);

-- closing_as is set by the first finalize: from then on no claim is taken, and the run ends in that state as soon as
-- its live claims are done.
create table if not exists evals.runs (
  project_id uuid not null,
  id uuid not null,
  dataset_id uuid not null,
  dataset_version integer not null,
  evaluation_subject json,
  sdk json,
  run_source text not null,
  status text not null default 'in_progress' check (status in ('in_progress', 'completed', 'failed')),
  closing_as text check (closing_as in ('completed', 'failed')),
  closing_since timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, dataset_id, dataset_version)
    references evals.dataset_versions (project_id, dataset_id, version)
);

create index if not exists runs_closing on evals.runs (closing_since) where status = 'in_progress' and closing_as is not null;

-- document is the result row as clients read it; the columns are what is counted, ordered and looked up.
-- key_digest is the SHA-256 of the idempotency key: a key may be longer than an index entry and hold any character.
create table if not exists evals.results (
  project_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  key_digest bytea not null,
  idempotency_key json not null,
  case_id json not null,
  question_index bigint,
  run_number bigint,
  is_variant boolean not null,
  status text not null check (status in ('scored', 'skipped', 'failed')),
  skip_reason text,
  rating double precision check (rating between 0 and 10),
  document json not null,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  unique (project_id, run_id, key_digest),
  foreign key (project_id, run_id) references evals.runs (project_id, id),
  check ((rating is null) = (status = 'skipped'))
);

-- The order in which a run's results are read, and what its statistics are counted from.
create index if not exists results_read on evals.results (project_id, run_id, question_index, run_number, is_variant, id)
  include (status, rating);

-- A result that is being judged. The claim goes in the transaction that stores its result. Besides who holds it and how
-- long, it has the result that finalizing stores when nobody finished it, column for column.
create table if not exists evals.claims (
  project_id uuid not null,
  run_id uuid not null,
  key_digest bytea not null,
  holder uuid not null,
  lease_until timestamptz not null,
  deadline_at timestamptz not null,
  id uuid not null,
  idempotency_key json not null,
  case_id json not null,
  question_index bigint,
  run_number bigint,
  is_variant boolean not null,
  status text not null,
  skip_reason text,
  rating double precision,
  document json not null,
  primary key (project_id, run_id, key_digest),
  foreign key (project_id, run_id) references evals.runs (project_id, id)
);

do $$
declare
  name text;
begin
  foreach name in array array['datasets', 'dataset_versions', 'runs', 'results', 'claims'] loop
    execute format('alter table evals.%I enable row level security', name);
    execute format('alter table evals.%I force row level security', name);
    execute format('drop policy if exists app_scope on evals.%I', name);
    execute format(
      'create policy app_scope on evals.%I to touchstone_evals_app
         using (project_id = any ((select evals.projects())::uuid[]))
         with check (project_id = any ((select evals.projects())::uuid[]))', name);
    execute format('drop policy if exists maintenance_all on evals.%I', name);
    execute format(
      'create policy maintenance_all on evals.%I to touchstone_evals_maintenance using (true) with check (true)', name);
  end loop;
end $$;

-- No more than what is used: nobody can change a dataset version, a result, or what a run was created with.
grant usage on schema evals to touchstone_evals_app, touchstone_evals_maintenance;
grant execute on function evals.projects() to touchstone_evals_app, touchstone_evals_maintenance;
grant select, insert on evals.datasets, evals.dataset_versions, evals.runs, evals.results to touchstone_evals_app;
grant update (status, closing_as, closing_since, finished_at) on evals.runs to touchstone_evals_app;
grant select, insert, update, delete on evals.claims to touchstone_evals_app;
grant select on evals.runs to touchstone_evals_maintenance;
grant update (status, finished_at) on evals.runs to touchstone_evals_maintenance;
grant select, insert on evals.results to touchstone_evals_maintenance;
grant select, delete on evals.claims to touchstone_evals_maintenance;
