-- What dashboards add up (decision 37): read from one index, never from the rows with their bodies.

-- Of the tokens its trace used those that no other span accounts for: of what a parent repeats of its children nothing is
-- left. Sums of it count each token once, whatever they run over. Components as in own_tokens; null = none, and for spans
-- stored before this.
alter table ingest.spans add column net_tokens double precision[];
-- Calls of tools that the row stands for, a line each: how many, how many of them failed, the name. At most 600 bytes, so
-- that the row fits into the index whatever else it holds.
alter table ingest.spans add column tools text;

create index spans_figures on ingest.spans (project_id, id)
  include (created_at, is_root, kind, framework, model, has_error, latency_ms, agent_id, trace_key, flags, net_tokens, tools);
