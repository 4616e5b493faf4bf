-- When the newest recorded event of a trace was written, by the clock of ingest's database: an older event that comes again
-- changes nothing. Null: no event said so.
alter table monitor.seen_traces add column state_at timestamptz;
