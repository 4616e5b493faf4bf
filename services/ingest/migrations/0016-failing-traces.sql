-- What fails by itself counts as failing in a list, too: a tool that failed, an error, an empty answer.

alter table ingest.trace_verdicts add column failure text;
-- The name stays: a replica that does not know the new one narrows by it as before.
alter table ingest.trace_verdicts alter column is_failing
  set expression as (failure is not null or coalesce((judge_scores::jsonb ->> 'failingCount')::integer > 0, false));
