-- Which record of the judge is behind the rating of an occurrence (decision 43). Null: it is older, or no judge gave it.
alter table monitor.signal_occurrences add column record_id uuid;
