-- Composing a span read the log records of its whole trace, and a trace was read in a time that grew with the product of its
-- spans and its records. The first index also serves the reads by trace.
create index log_fragments_span on ingest.log_fragments (project_id, trace_key, span_id) where trace_key is not null;
create index log_fragments_answer on ingest.log_fragments (project_id, trace_key, response_id)
  where trace_key is not null and span_id is null and response_id is not null;
drop index ingest.log_fragments_trace;
