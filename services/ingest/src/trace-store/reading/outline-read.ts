import type { PricedTokens } from "@touchstone/contracts";
import type { Statement } from "@touchstone/db";
import type { PlacedSpan } from "../../model/read-span.ts";
import { borrowedModelFlag } from "../../model/span-row.ts";
import type { OutlinedSpan } from "../trace-store.ts";

/** The row of a span in an outline, besides its place. */
export interface OutlineRecord {
  id: string;
  name: string;
  latency_ms: number | null;
  has_error: boolean;
  model: string | null;
  borrows_model: boolean;
  tokens: (number | null)[] | null;
  own_tokens: (number | null)[] | null;
  rating: number | null;
}

/** Spans by id, in no order, without their bodies. */
export function buildOutlineRead(projectId: string, ids: readonly string[]): Statement {
  const text = `
    select spans.id, spans.name, spans.latency_ms, spans.has_error, spans.model,
      spans.flags & ${borrowedModelFlag} <> 0 as borrows_model,
      coalesce(spans.agg_tokens, spans.own_tokens) as tokens,
      -- Usage that only a log record states is in net_tokens alone.
      coalesce(spans.own_tokens, spans.net_tokens) as own_tokens,
      (
        select (judge_scores::jsonb ->> 'rating')::double precision
        from ingest.trace_verdicts
        where trace_verdicts.project_id = $1 and trace_verdicts.trace_id = spans.id
      ) as rating
    from unnest($2::uuid[]) as wanted (wanted_id)
    cross join lateral (
      select * from ingest.spans where project_id = $1 and spans.id = wanted.wanted_id limit 1
    ) spans`;
  return { name: "outline_read", text, values: [projectId, ids] };
}

export function toOutlinedSpan(place: PlacedSpan, record: OutlineRecord): OutlinedSpan {
  return {
    ...place,
    name: record.name,
    latencyMs: record.latency_ms,
    hasError: record.has_error,
    model: record.model,
    borrowsModel: record.borrows_model,
    tokens: toTokens(record.tokens),
    ownTokens: toTokens(record.own_tokens),
    rating: record.rating,
  };
}

function toTokens(counts: readonly (number | null)[] | null): PricedTokens {
  const [input = null, output = null, cacheRead = null, cacheWrite = null] = counts ?? [];
  return { input, output, cacheRead, cacheWrite };
}
