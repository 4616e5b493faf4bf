-- What waits, by project: under a backlog each project gets its share of the sweeper's turns.
create index traces_due_of_projects on ingest.traces (project_id, due_at) where due_at is not null;
create index traces_settling_of_projects on ingest.traces (project_id, settles_at) where settles_at is not null;
create index awaited_parents_due_of_projects on ingest.awaited_parents (project_id, due_at);
