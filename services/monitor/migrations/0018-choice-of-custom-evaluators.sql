-- What decides whether a trace is due a custom scorer, as of patterns: read for every trace that settles, while a script may have 64 KiB.
alter table monitor.custom_evaluators
  add column choice json generated always as (monitor.choice_of(document)) stored;
