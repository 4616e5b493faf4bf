-- Old rows are found by their age, to be deleted.
create index seen_traces_seen_at on monitor.seen_traces (seen_at);
