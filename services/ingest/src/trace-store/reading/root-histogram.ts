import type { Statement } from "@touchstone/db";
import { AppError } from "@touchstone/service-kit";
import type { SearchCandidates } from "../../search/search-candidate-reader.ts";
import type { RootCount, RootHistogramQuery } from "../trace-store.ts";
import { conditionsOnHits, rootConditions } from "./root-conditions.ts";
import { countedHitsMax, searchArguments } from "./root-list.ts";

/** A row of the result. */
export interface RootCountRecord {
  start: Date;
  count: string;
  errors: string;
  /** For a search that has uncounted hits: all of its hits. */
  total: string | null;
}

/** One row for each non-empty bucket, in no order. A query with a pattern needs the candidates of its search. */
export function buildRootHistogram(query: RootHistogramQuery, candidates: SearchCandidates | null): Statement {
  return candidates === null ? buildFilteredHistogram(query) : buildSearchedHistogram(query, candidates);
}

/** The time is read from the id, so that narrow indexes of ids suffice. `$2` is the width. */
const startOf = (id: string): string =>
  `date_bin($2::interval, uuid_extract_timestamp(${id}), timestamptz '1970-01-05 00:00Z')`;
const widthOf = ({ bucketMs }: RootHistogramQuery): string => `${bucketMs} milliseconds`;

/**
 * No index has errors or missing sources for every root, and rows are wide: errors are counted separately, and roots
 * without a source are all roots minus those with one.
 */
function buildFilteredHistogram(query: RootHistogramQuery): Statement {
  const values: unknown[] = [query.projectId, widthOf(query)];
  const conditions = rootConditions(query, values);
  const matching = conditions
    .filter(({ name }) => name !== "production")
    .map(({ text }) => ` and ${text}`)
    .join("");
  const part = (count: string, errors: string, narrowed: string): string => `
      select ${startOf("id")} as start, ${count} as count, ${errors} as errors
      from ingest.spans
      where project_id = $1 and is_root${narrowed}${matching}
      group by 1`;
  const parts = [part("count(*)", "0", ""), part("0", "count(*)", " and has_error")];
  if (query.source === "production") {
    const sourced = " and source is not null";
    parts.push(part("-count(*)", "0", sourced), part("0", "-count(*)", ` and has_error${sourced}`));
  }
  const text = `
    select start, sum(count) as count, sum(errors) as errors, null as total
    from (${parts.join(`
      union all`)}
    ) parts
    group by start`;
  return { name: `roots_histogram${conditions.map(({ name }) => `_${name}`).join("")}`, text, values };
}

function buildSearchedHistogram(query: RootHistogramQuery, candidates: SearchCandidates): Statement {
  const sought = searchArguments({ ...query, before: null }, candidates);
  const values: unknown[] = [query.projectId, widthOf(query), countedHitsMax, ...sought];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOnHits("hit.id", query, parameter);
  const narrowed = conditions.map(({ text }, index) => `\n    ${index === 0 ? "where" : "and"} ${text}`).join("");
  const text = `
    select ${startOf("hit.id")} as start, count(*) as count,
           count(*) filter (
             where hit.id in (
               select id
               from ingest.spans
               where project_id = $1 and is_root and has_error and id >= $6 and id < $7
             )
           ) as errors,
           case when found.total > $3 then found.total end as total
    from ingest.find_roots($4, $5, $3, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23) found
    cross join lateral unnest(found.ids) as hit (id)${narrowed}
    group by 1, found.total`;
  return { name: `roots_histogram_search${conditions.map(({ name }) => `_${name}`).join("")}`, text, values };
}

export function toRootCounts(rows: readonly RootCountRecord[]): RootCount[] {
  const counts = rows.map(({ start, count, errors }) => ({
    startMs: start.getTime(),
    count: Number(count),
    errors: Number(errors),
  }));
  const counted = counts.reduce((sum, { count }) => sum + count, 0);
  if (rows.some(({ total }) => total !== null && Number(total) > counted)) {
    throw new AppError(
      "service_unavailable",
      "The search finds too many traces to count them by time; choose a shorter time.",
    );
  }
  return counts;
}

export interface RootExtentRecord {
  oldest: Date | null;
  newest: Date | null;
}

/** The creation times of a project's oldest and newest root; null without any. */
export function buildRootExtent(projectId: string): Statement {
  const edge = (order: "asc" | "desc"): string => `
      select uuid_extract_timestamp(id)
      from ingest.spans
      where project_id = $1 and is_root
      order by id ${order}
      limit 1`;
  return {
    name: "roots_extent",
    text: `select (${edge("asc")}) as oldest, (${edge("desc")}) as newest`,
    values: [projectId],
  };
}
