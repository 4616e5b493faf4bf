-- The record of verdicts that cache and replay read, the calls counted against the daily quota, and usage per hour.

-- A verdict is kept under whose it is: an organization, or a project where there are none. Both are UUIDs, and the list
-- that row-level security reads is the one every service sets.
create function judge.owners() returns uuid[]
language sql
stable
parallel safe
return string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[];

-- address is the SHA-256 of everything the verdict depends on. A row is written once and never changes: the first wins.
create table judge.verdicts (
  owner_id uuid not null,
  address bytea not null check (octet_length(address) = 32),
  rating double precision not null check (rating between 0 and 10),
  justification text not null,
  created_at timestamptz not null default now(),
  primary key (owner_id, address)
);

alter table judge.verdicts enable row level security;
alter table judge.verdicts force row level security;
create policy app_scope on judge.verdicts to touchstone_judge_app
  using (owner_id = any ((select judge.owners())::uuid[]))
  with check (owner_id = any ((select judge.owners())::uuid[]));

-- Calls per payer and UTC day: payer is 'instance', or the id of an organization.
create table judge.quota_days (
  payer text not null,
  day date not null,
  calls bigint not null check (calls >= 0),
  primary key (payer, day)
);

-- Calls per project and hour, for the operator's overview. They are added in batches and may miss the last seconds
-- before a crash.
create table judge.usage (
  project_id uuid not null,
  hour timestamptz not null,
  judge_calls bigint not null,
  primary key (project_id, hour)
);

-- Both are counted by the service for everybody: no request reads or writes them under its own scope.
alter table judge.quota_days enable row level security;
alter table judge.quota_days force row level security;
create policy maintenance_all on judge.quota_days to touchstone_judge_maintenance using (true) with check (true);
alter table judge.usage enable row level security;
alter table judge.usage force row level security;
create policy maintenance_all on judge.usage to touchstone_judge_maintenance using (true) with check (true);

grant usage on schema judge to touchstone_judge_app, touchstone_judge_maintenance;
grant execute on function judge.owners() to touchstone_judge_app, touchstone_judge_maintenance;
grant select, insert on judge.verdicts to touchstone_judge_app;
grant select, insert, update on judge.quota_days, judge.usage to touchstone_judge_maintenance;
