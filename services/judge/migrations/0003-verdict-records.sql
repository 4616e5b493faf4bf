-- The records behind verdicts: what a judge was sent and what it replied (decision 43). They are kept for some days,
-- whatever becomes of the verdict.

create table judge.verdict_records (
  project_id uuid not null,
  id uuid not null,
  created_at timestamptz not null default now(),
  -- As the API shows it, but for id and created_at.
  document json not null,
  primary key (project_id, id)
);
create index verdict_records_age on judge.verdict_records (created_at);

alter table judge.verdict_records enable row level security;
alter table judge.verdict_records force row level security;
create policy app_scope on judge.verdict_records to touchstone_judge_app
  using (project_id = any ((select judge.owners())::uuid[]))
  with check (project_id = any ((select judge.owners())::uuid[]));
create policy maintenance_all on judge.verdict_records to touchstone_judge_maintenance using (true) with check (true);
grant select, insert on judge.verdict_records to touchstone_judge_app;
grant select, delete on judge.verdict_records to touchstone_judge_maintenance;

-- Of the call that a stored verdict came from. Null: it was stored by an earlier version, or without a record.
alter table judge.verdicts add column record_id uuid;
