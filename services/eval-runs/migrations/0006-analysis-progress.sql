-- While an analysis is written, the one before it stays readable: `status` and `document` are the last one's, `holder` and
-- its lease those of the one at work.

alter table evals.analyses add column if not exists progress real not null default 0 check (progress between 0 and 1);
