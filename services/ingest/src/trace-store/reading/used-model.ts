import { borrowedModelFlag, otlpFlag } from "../../model/span-row.ts";

/** Spans between one that used the model and its root, where each is a row of its own. */
const levelsMax = 32;

export interface UsedModelParameters {
  model: string;
  /** The first id of the period, and the first one after it; null: unlimited. */
  from: string | null;
  below: string | null;
}

/**
 * The ids of the roots whose traces used a model, each argument being a parameter of the statement; `$1` is the project. The
 * spans are found in the narrow index of the figures, as their costs are (decision 37). An OTel span belongs to the roots of its
 * trace, a REST span to the root that its parents lead to.
 */
export function rootsThatUsed({ model, from, below }: UsedModelParameters): string {
  const spans = `from ingest.spans where project_id = $1${from === null ? "" : ` and id >= ${from}`}${below === null ? "" : ` and id < ${below}`}`;
  return `
    with recursive named as materialized (
      select id, is_root, trace_key, flags & ${otlpFlag} <> 0 as is_otlp
      ${spans}
        and model = ${model} and flags & ${borrowedModelFlag} = 0 and net_tokens is not null
    ),
    rest as materialized (
      select id, span_id, parent_span_id, is_root
      ${spans}
        and flags & ${otlpFlag} = 0
        and exists (select from named where not is_otlp and not is_root)
    ),
    above (span_id, level) as (
      select rest.parent_span_id, 1
      from named
      join rest using (id)
      where not rest.is_root
      union
      select rest.parent_span_id, level + 1
      from above
      join rest using (span_id)
      where not rest.is_root and level < ${levelsMax}
    )
    select id
    from named
    where is_root
    union
    select roots.id
    from (select distinct trace_key from named where is_otlp) as traces
    join ingest.spans as roots on roots.project_id = $1 and roots.trace_key = traces.trace_key
    where roots.is_root and roots.flags & ${otlpFlag} <> 0
    union
    select rest.id
    from above
    join rest using (span_id)
    where rest.is_root`;
}
