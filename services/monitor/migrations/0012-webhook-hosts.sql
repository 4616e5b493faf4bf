-- Messages are taken from host to host: one that is dead holds up no other of its project.
create index webhook_deliveries_due_to on monitor.webhook_deliveries (project_id, host, due_at, id)
  where status = 'pending';
drop index monitor.webhook_deliveries_due;
