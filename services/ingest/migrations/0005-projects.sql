-- The projects of the transaction, as in 0001, but parsed here and not at each call: without a search path of its own
-- the planner puts its expression in its place. Every policy asks it, the statement that stores spans a dozen times.
create or replace function ingest.projects() returns uuid[]
language sql
stable
parallel safe
return string_to_array(nullif(current_setting('app.projects', true), ''), ',')::uuid[];
