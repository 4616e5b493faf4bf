-- What was last told of a project's live scorers. Monitor keeps the greatest revision.
create table evals.live_scorers (
  project_id uuid primary key,
  revision bigint not null,
  -- Of what was told, so that a change that touches no live scorer tells nothing.
  digest text not null,
  announced_at timestamptz not null default now()
);
alter table evals.live_scorers enable row level security;
alter table evals.live_scorers force row level security;
create policy app_scope on evals.live_scorers to touchstone_evals_app
  using (project_id = any ((select evals.projects())::uuid[]))
  with check (project_id = any ((select evals.projects())::uuid[]));
create policy maintenance_all on evals.live_scorers to touchstone_evals_maintenance using (true) with check (true);
grant select, insert, update on evals.live_scorers to touchstone_evals_app;
grant select, delete on evals.live_scorers to touchstone_evals_maintenance;

-- An event stays in the outbox after it was published, until its consumers have acknowledged it.
alter table evals.outbox
  -- Which event store took the event, and its place there. Null: it is to be published.
  add column published_into text collate "C",
  add column published_seq bigint;
create index outbox_unpublished on evals.outbox (id) where published_seq is null;
create index outbox_published on evals.outbox (published_into, published_seq) where published_seq is not null;
grant insert on evals.outbox to touchstone_evals_app;
grant update on evals.outbox to touchstone_evals_maintenance;
