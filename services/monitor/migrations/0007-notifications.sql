-- Who is told of what monitor found: webhooks, what is on its way to them, and rules over what traffic does.

create table monitor.webhooks (
  project_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  -- What it is told of: events, from a severity upwards, of some agents; no agent named: of all.
  events text[] not null,
  min_severity text not null,
  agent_ids uuid[] not null,
  enabled boolean not null,
  -- Why it was disabled by itself; null: it was not.
  disabled_reason text,
  -- What its secret is derived with, and the one before, with which deliveries are signed as well for a day.
  secret_salt bytea not null,
  previous_salt bytea,
  rotated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);

-- One row for each message to each receiver, written with what it tells of. A worker takes it under a lease; the id goes
-- with every try, so that a receiver knows a message that it has.
create table monitor.webhook_deliveries (
  project_id uuid not null,
  id uuid not null,
  -- Null: to a channel of an agent's profile.
  webhook_id uuid,
  url text not null,
  host text not null,
  event text not null,
  signal_id uuid,
  -- As it is sent, byte for byte.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- Of one that is in hand: when its lease ends.
  due_at timestamptz not null default now(),
  leased_by uuid,
  last_status integer,
  last_error text,
  created_at timestamptz not null default now(),
  attempted_at timestamptz,
  settled_at timestamptz,
  primary key (project_id, id)
);
create index webhook_deliveries_due on monitor.webhook_deliveries (project_id, due_at, id) where status = 'pending';
create index webhook_deliveries_of_webhook on monitor.webhook_deliveries (project_id, webhook_id, id desc);
create index webhook_deliveries_settled on monitor.webhook_deliveries (settled_at) where settled_at is not null;

create table monitor.alert_rules (
  project_id uuid not null,
  id uuid not null,
  document json not null,
  enabled boolean not null,
  -- Claimed for a minute by whoever evaluates it.
  evaluated_at timestamptz,
  last_fired_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);
create index alert_rules_due on monitor.alert_rules (evaluated_at nulls first) where enabled;

-- When somebody was last told of a signal: the same is told once a minute at most.
alter table monitor.signals add column announced_at timestamptz;

do $$
declare
  name text;
begin
  foreach name in array array['webhooks', 'webhook_deliveries', 'alert_rules'] loop
    execute format('alter table monitor.%I enable row level security', name);
    execute format('alter table monitor.%I force row level security', name);
    execute format(
      'create policy app_scope on monitor.%I to touchstone_monitor_app
         using (project_id = any ((select monitor.projects())::uuid[]))
         with check (project_id = any ((select monitor.projects())::uuid[]))', name);
    execute format('create policy maintenance_all on monitor.%I to touchstone_monitor_maintenance using (true) with check (true)', name);
    execute format(
      'grant select, insert, update, delete on monitor.%I to touchstone_monitor_app, touchstone_monitor_maintenance', name);
  end loop;
end
$$;
