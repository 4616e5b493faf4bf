-- Which record of the judge is behind a rating (decision 43). Null: it is older, of a group, or has none. The judge deletes
-- records after some days, so that it may name one that is gone.
alter table monitor.verdicts add column record_id uuid;
alter table monitor.session_scores add column record_id uuid;
