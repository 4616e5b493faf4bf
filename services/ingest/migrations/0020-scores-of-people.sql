-- What people said of whole traces, in the order in which the agreement of judges with people reads it.
create index scores_of_people on ingest.scores (project_id, scored_at desc, id desc)
  where source = 'human' and trace_key is not null and span_id is null;
